/** Sends over a port. The one place that does, so that no message is sent that the protocol does not have. */
import type { MessagePort } from "node:worker_threads";
import type { FromThread, ToThread } from "./messages.ts";

/** @throws DataCloneError for arguments that cannot be cloned; nothing else can be wrong with a message. */
export function send(port: MessagePort, message: FromThread | ToThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows of a browser
  port.postMessage(message);
}

/** Preloaded: ends every thread right after it has said that it is ready, before it can take a task. */
import { isMainThread, MessagePort } from "node:worker_threads";

if (!isMainThread) {
  const { prototype } = MessagePort;
  // oxlint-disable-next-line typescript/unbound-method -- called with its port below
  const { postMessage } = prototype;
  prototype.postMessage = function (this: MessagePort, message: readonly unknown[]) {
    postMessage.call(this, message);
    if (message[0] === "ready") {
      // Long enough for the offer to be made, and the event loop never gets to it.
      const until = performance.now() + 300;
      while (performance.now() < until);
      process.exit(7);
    }
  };
}

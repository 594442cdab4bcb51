/** Sends to a queue of Cloudflare, split into groups that it takes at once. */
import type { OutgoingMessage, QueueSender } from "@riverqueue/reaction";
import { splitMessages } from "@riverqueue/reaction/home";
import type { QueueBinding, QueueBindingMessage } from "./bindings.ts";
import { delaySeconds } from "./delay-seconds.ts";

/**
 * A sender for the producer binding of a queue, such as one that `defineQueue` has a consumer for. Nothing is sent of a
 * list that holds a message that is too large or has a bad delay.
 */
export function createQueueSender(binding: QueueBinding): QueueSender {
  return Object.freeze({
    async send(messages: readonly OutgoingMessage[]): Promise<void> {
      const groups = splitMessages(messages).map((group) => group.map(bindingMessage));
      for (const group of groups) await binding.sendBatch(group);
    },
  });
}

function bindingMessage({ body, delay }: OutgoingMessage): QueueBindingMessage {
  return { body, contentType: "json", ...delaySeconds(delay) };
}

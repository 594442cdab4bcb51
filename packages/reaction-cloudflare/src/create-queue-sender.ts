/** Sends to a queue of Cloudflare, split into groups that it takes at once. */
import type { OutgoingMessage, QueueSender } from "@riverqueue/reaction";
import { OptionProblems, splitMessages } from "@riverqueue/reaction/home";
import type { QueueBinding, QueueBindingMessage } from "./bindings.ts";
import { delaySeconds } from "./delay-seconds.ts";

/**
 * A sender for the producer binding of a queue, such as one that `defineQueue` has a consumer for. Nothing is sent of a
 * list that holds a message that is too large or has a bad delay.
 *
 * @throws ConfigurationError when nothing, or something else than a queue, is bound.
 */
export function createQueueSender(binding: QueueBinding): QueueSender {
  if (typeof (binding as Partial<QueueBinding> | null | undefined)?.sendBatch !== "function") {
    const problems = new OptionProblems();
    problems.add("binding", "must be bound by the configuration, to something with a method sendBatch");
    problems.throwConfiguration();
  }
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

/** The one entry of all queues: picks the consumer by the exact actual name of the queue, and never another. */
import type { AlertRaiser } from "../processor/alert-raiser.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import type { QueueBatch } from "../seam/message-queue.ts";
import type { QueueDefinition } from "./define-queue.ts";
import { consumeWithin } from "./limit-consumer.ts";

/** A queue under the name it really has. */
export interface NamedQueue {
  readonly definition: QueueDefinition;
  /** As the configuration has it, `*_QUEUE_NAME` on Cloudflare; the definition's name unless given. */
  readonly actualName: string;
}

/** Consumes a batch of whatever queue. */
export type QueueEntry = (batch: QueueBatch, ctx: WorkerCtx) => Promise<void>;

/**
 * Makes the entry. A batch of a name that matches none is retried, with an alert.
 *
 * @throws ConfigurationError when two queues have one name.
 */
export function createQueueEntry(queues: readonly NamedQueue[], alerts: AlertRaiser): QueueEntry {
  const byName = new Map<string, QueueDefinition>();
  const problems = new OptionProblems();
  for (const { actualName, definition } of queues) {
    if (byName.has(actualName)) problems.add(`queue name ${JSON.stringify(actualName)}`, "is used twice");
    byName.set(actualName, definition);
  }
  problems.throwConfiguration();
  return async (batch, ctx) => {
    const definition = byName.get(batch.queue);
    if (definition !== undefined) {
      await consumeWithin(definition.timeoutMs, definition.consume, batch, ctx);
      return;
    }
    await alerts.raise(ctx, {
      severity: "high",
      code: "unknown_queue",
      message: "a batch came from a queue that no consumer is for; its messages are retried",
      queue: batch.queue,
    });
    batch.retryAll();
  };
}

/**
 * The queues of a Worker: a delivered batch goes to the consumer of its queue's exact actual name and to no other, and every
 * message is marked by itself.
 */
import type { NamedQueue, QueueDefinition, QueueEntry, Reaction, WorkerCtx } from "@riverqueue/reaction";
import { ASYNC_LOGGER, createQueueEntry, isLogEntry } from "@riverqueue/reaction/home";
import { MarkedBatch } from "./marked-batch.ts";
import type { DeliveredBatch } from "./worker-events.ts";

/** See the file header. */
export class WorkerQueues {
  readonly #reaction: Reaction<never>;
  readonly #byName: ReadonlyMap<string, QueueDefinition>;
  readonly #consume: QueueEntry;

  /** @throws ConfigurationError when two queues have one name. */
  constructor(reaction: Reaction<never>, own: readonly (NamedQueue | QueueDefinition)[]) {
    const named = own.map((queue) => ("definition" in queue ? queue : { definition: queue, actualName: queue.name }));
    const queues = [...new Set([...reaction.queues, ...named])];
    this.#reaction = reaction;
    this.#byName = new Map(queues.map(({ actualName, definition }) => [actualName, definition]));
    this.#consume = createQueueEntry(queues, reaction.alerts);
  }

  /**
   * Whether the consumer may log through `async-logger`. What goes wrong with log entries must not make more of them, also
   * where the queue of log entries goes by a name that the configuration does not know, or that it has for another queue.
   */
  mayLogThroughQueue({ queue, messages }: DeliveredBatch): boolean {
    const definition = this.#byName.get(queue);
    if (definition === undefined || definition.name === ASYNC_LOGGER) return false;
    return !messages.some(({ body }) => isLogEntry(body));
  }

  /** Marks every message: what the platform makes of an exception is not the same everywhere. */
  async consume(delivered: DeliveredBatch, ctx: WorkerCtx): Promise<void> {
    const marked = new MarkedBatch(delivered, ctx);
    const { batch } = marked;
    try {
      await this.#consume(batch, ctx);
      batch.ackAll();
    } catch (error) {
      ctx.logger.error({ error, queue: batch.queue }, "a queue consumer failed");
      batch.retryAll();
    }
    await this.#alertDropped(marked, ctx);
  }

  /** The platform drops in silence what has used up its retries. */
  async #alertDropped({ batch, retried }: MarkedBatch, ctx: WorkerCtx): Promise<void> {
    const { queue } = batch;
    const definition = this.#byName.get(queue);
    if (definition === undefined || definition.deadLetterQueue !== null) return;
    for (const { id: messageId, attempts } of retried) {
      if (attempts <= definition.maxRetries) continue;
      const message = `a message was given up after ${attempts} deliveries`;
      await this.#reaction.alerts.raise(ctx, { severity: "high", code: "message_dropped", message, queue, messageId });
    }
  }
}

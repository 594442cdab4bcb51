/**
 * The queues of a Worker: a delivered batch goes to the consumer of its queue's exact actual name and to no other, and every
 * message is marked by itself.
 */
import type { NamedQueue, QueueDefinition, QueueEntry, Reaction, WorkerCtx } from "@riverqueue/reaction";
import { ASYNC_LOGGER, createQueueEntry, isLogEntry, type MessageVerdict, runBatch } from "@riverqueue/reaction/home";
import { delaySeconds } from "./delay-seconds.ts";
import type { DeliveredBatch, DeliveredMessage } from "./worker-events.ts";

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
  async consume({ queue, messages }: DeliveredBatch, ctx: WorkerCtx): Promise<void> {
    const verdicts = await runBatch(this.#consume, queue, messages, ctx, passOn);
    const retried = messages.filter((_, index) => verdicts[index]?.type === "retry");
    await this.#alertDropped(queue, retried, ctx);
  }

  /** The platform drops in silence what has used up its retries. */
  async #alertDropped(queue: string, retried: readonly DeliveredMessage[], ctx: WorkerCtx): Promise<void> {
    const definition = this.#byName.get(queue);
    if (definition === undefined || definition.deadLetterQueue !== null) return;
    for (const { id: messageId, attempts } of retried) {
      if (attempts <= definition.maxRetries) continue;
      const message = `a message was given up after ${attempts} deliveries`;
      await this.#reaction.alerts.raise(ctx, { severity: "high", code: "message_dropped", message, queue, messageId });
    }
  }
}

/** At once, so that marks hold even when the consumer does not come to its end. */
function passOn(verdict: MessageVerdict): (message: DeliveredMessage) => void {
  if (verdict.type === "ack") return (message) => message.ack();
  const delay = delaySeconds(verdict.delayMs === null ? undefined : { milliseconds: verdict.delayMs });
  return (message) => message.retry(delay);
}

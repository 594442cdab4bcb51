/**
 * A delivered batch as consumers see it. Marks are passed on at once, so that they hold even when the consumer does not
 * come to its end; the first one of a message counts, and later ones are logged.
 */
import type { DurationInput, QueueBatch, QueueMessage, WorkerCtx } from "@riverqueue/reaction";
import { delaySeconds } from "./delay-seconds.ts";
import type { DeliveredBatch, DeliveredMessage } from "./worker-events.ts";

type RetryOptions = { readonly delay?: DurationInput | undefined };

/** See the file header. */
export class MarkedBatch {
  readonly batch: QueueBatch;
  readonly #marks: readonly MarkedMessage[];

  constructor({ queue, messages }: DeliveredBatch, ctx: WorkerCtx) {
    const marks = messages.map((message) => new MarkedMessage(message, queue, ctx));
    this.#marks = marks;
    this.batch = Object.freeze({
      queue,
      messages: Object.freeze(marks.map(({ message }) => message)),
      ackAll: () => marks.forEach((mark) => mark.ackUnlessMarked()),
      retryAll: (options?: RetryOptions) => {
        const delay = delaySeconds(options?.delay);
        marks.forEach((mark) => mark.retryUnlessMarked(delay));
      },
    });
  }

  /** The messages that will be delivered again, should their queue allow for it. */
  get retried(): readonly QueueMessage[] {
    return this.#marks.filter(({ mark }) => mark === "retry").map(({ message }) => message);
  }
}

class MarkedMessage {
  readonly message: QueueMessage;
  mark: "ack" | "retry" | null = null;
  readonly #delivered: DeliveredMessage;

  constructor(delivered: DeliveredMessage, queue: string, ctx: WorkerCtx) {
    const { id, timestamp, attempts, body } = delivered;
    this.#delivered = delivered;
    const note = (call: string): void =>
      ctx.logger.warn({ queue, messageId: id, call }, "a message was marked already; this call has no effect");
    this.message = Object.freeze({
      id,
      timestamp,
      attempts,
      body,
      ack: () => (this.mark === null ? this.ackUnlessMarked() : note("ack")),
      retry: (options?: RetryOptions) => {
        const delay = delaySeconds(options?.delay);
        if (this.mark === null) this.retryUnlessMarked(delay);
        else note("retry");
      },
    });
  }

  ackUnlessMarked(): void {
    if (this.mark !== null) return;
    this.mark = "ack";
    this.#delivered.ack();
  }

  retryUnlessMarked(delay: { delaySeconds?: number }): void {
    if (this.mark !== null) return;
    this.mark = "retry";
    this.#delivered.retry(delay);
  }
}

/**
 * What a consumer said about each message of a batch. The first word counts; later ones are logged. Homes whose queues do
 * not keep these rules themselves run batches through here.
 */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { type DurationInput, durationToMs } from "../kit/duration.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { QueueBatch, QueueMessage } from "../seam/message-queue.ts";
import type { QueueDefinition } from "./define-queue.ts";

/** A message as a home received it. */
export interface ReceivedMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly attempts: number;
  readonly body: unknown;
}

/** What becomes of a message. */
export type MessageVerdict =
  | { readonly type: "ack" }
  /** `delayMs` is null where the queue's own delay counts. */
  | { readonly type: "retry"; readonly delayMs: number | null };

/** Has `consume` work one batch; one verdict a message, in order. Never rejects: what is thrown is logged. */
export async function runBatch(
  consume: QueueDefinition["consume"],
  queue: string,
  received: readonly ReceivedMessage[],
  ctx: WorkerCtx,
): Promise<readonly MessageVerdict[]> {
  const marks = received.map((message) => new MarkedMessage(message, queue, ctx));
  const batch: QueueBatch = Object.freeze({
    queue,
    messages: Object.freeze(marks.map((mark) => mark.message)),
    ackAll: () => marks.forEach((mark) => mark.markUnlessMarked({ type: "ack" })),
    retryAll: (options?: RetryOptions) => {
      const verdict = retryVerdict(options);
      marks.forEach((mark) => mark.markUnlessMarked(verdict));
    },
  });
  try {
    await consume(batch, ctx);
    return marks.map((mark) => mark.close({ type: "ack" }));
  } catch (error) {
    ctx.logger.error({ error, queue }, "a queue consumer failed");
    return marks.map((mark) => mark.close({ type: "retry", delayMs: null }));
  }
}

type RetryOptions = { readonly delay?: DurationInput | undefined };

class MarkedMessage {
  readonly message: QueueMessage;
  readonly #note: (call: string) => void;
  #verdict: MessageVerdict | null = null;

  constructor({ id, timestamp, attempts, body }: ReceivedMessage, queue: string, ctx: WorkerCtx) {
    this.#note = (call) =>
      ctx.logger.warn({ queue, messageId: id, call }, "a message was marked already; this call has no effect");
    this.message = Object.freeze({
      id,
      timestamp,
      attempts,
      body,
      ack: () => this.#mark({ type: "ack" }, "ack"),
      retry: (options?: RetryOptions) => this.#mark(retryVerdict(options), "retry"),
    });
  }

  markUnlessMarked(verdict: MessageVerdict): void {
    this.#verdict ??= verdict;
  }

  /** The verdict; calls after the batch come too late. */
  close(unmarked: MessageVerdict): MessageVerdict {
    this.#verdict ??= unmarked;
    return this.#verdict;
  }

  #mark(verdict: MessageVerdict, call: string): void {
    if (this.#verdict !== null) return this.#note(call);
    this.#verdict = verdict;
  }
}

function retryVerdict({ delay }: RetryOptions = {}): MessageVerdict {
  if (delay === undefined) return { type: "retry", delayMs: null };
  const delayMs = durationToMs(delay);
  if (delayMs === null || delayMs < 0) throw new ValidationError("delay must be a duration such as { seconds: 5 }");
  return { type: "retry", delayMs };
}

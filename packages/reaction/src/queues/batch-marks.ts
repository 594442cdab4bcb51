/**
 * What a consumer said about each message of a batch. The first word counts; later ones are logged. Every home runs its
 * batches through here, so that the rules are the same everywhere.
 */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { delayToMs, type DurationInput } from "../kit/duration.ts";
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

const ACK: MessageVerdict = { type: "ack" };
const RETRY: MessageVerdict = { type: "retry", delayMs: null };

/**
 * Has `consume` work one batch; one verdict a message, in order. Never rejects: what is thrown is logged.
 *
 * @param passOn - what is done with a message at the moment a verdict on it counts; nothing unless given. Asked for every
 *   verdict when it is said: what it throws, such as for a delay that is too long, goes to the consumer and marks nothing.
 */
export async function runBatch<Message extends ReceivedMessage>(
  consume: QueueDefinition["consume"],
  queue: string,
  received: readonly Message[],
  ctx: WorkerCtx,
  passOn: (verdict: MessageVerdict) => (message: Message) => void = () => () => {},
): Promise<readonly MessageVerdict[]> {
  const said = (verdict: MessageVerdict): Said<Message> => ({ verdict, passOn: passOn(verdict) });
  const marks = received.map((message) => new MarkedMessage(message, queue, ctx, said));
  const markAll = (word: Said<Message>): void => marks.forEach((mark) => void mark.mark(word));
  const batch: QueueBatch = Object.freeze({
    queue,
    messages: Object.freeze(marks.map((mark) => mark.message)),
    ackAll: () => markAll(said(ACK)),
    retryAll: (options?: RetryOptions) => markAll(said(retryVerdict(options))),
  });
  try {
    await consume(batch, ctx);
    batch.ackAll();
  } catch (error) {
    ctx.logger.error({ error, queue }, "a queue consumer failed");
    batch.retryAll();
  }
  return marks.map(({ verdict }) => verdict ?? RETRY);
}

type RetryOptions = { readonly delay?: DurationInput | undefined };

interface Said<Message> {
  readonly verdict: MessageVerdict;
  readonly passOn: (message: Message) => void;
}

class MarkedMessage<Message extends ReceivedMessage> {
  readonly message: QueueMessage;
  verdict: MessageVerdict | null = null;
  readonly #received: Message;

  constructor(received: Message, queue: string, ctx: WorkerCtx, said: (verdict: MessageVerdict) => Said<Message>) {
    const { id, timestamp, attempts, body } = received;
    this.#received = received;
    const mark = (call: string, verdict: MessageVerdict): void => {
      if (this.mark(said(verdict))) return;
      ctx.logger.warn({ queue, messageId: id, call }, "a message was marked already; this call has no effect");
    };
    this.message = Object.freeze({
      id,
      timestamp,
      attempts,
      body,
      ack: () => mark("ack", ACK),
      retry: (options?: RetryOptions) => mark("retry", retryVerdict(options)),
    });
  }

  /** False, and nothing done, for a message that is marked already. */
  mark({ verdict, passOn }: Said<Message>): boolean {
    if (this.verdict !== null) return false;
    this.verdict = verdict;
    passOn(this.#received);
    return true;
  }
}

function retryVerdict({ delay }: RetryOptions = {}): MessageVerdict {
  return delay === undefined ? RETRY : { type: "retry", delayMs: delayToMs(delay) };
}

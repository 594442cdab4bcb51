/**
 * Makes batches of messages that River hands out one by one: collects those whose handlers wait, and has them consumed when
 * a batch is full or the oldest has waited long enough, at most so many batches at once.
 */
import type { MessageVerdict, ReceivedMessage } from "../queues/batch-marks.ts";
import type { QueueDefinition } from "../queues/define-queue.ts";

interface Waiting {
  readonly message: ReceivedMessage;
  readonly resolve: (verdict: MessageVerdict) => void;
  readonly reject: (reason: unknown) => void;
}

/** Works one batch; a verdict a message, in order. */
export type BatchWorker = (messages: readonly ReceivedMessage[]) => Promise<readonly MessageVerdict[]>;

/** See the file header. */
export class BatchCoalescer {
  readonly #queue: Pick<QueueDefinition, "batchSize" | "batchTimeoutMs" | "maxConcurrency">;
  readonly #work: BatchWorker;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(queue: Pick<QueueDefinition, "batchSize" | "batchTimeoutMs" | "maxConcurrency">, work: BatchWorker) {
    this.#queue = queue;
    this.#work = work;
  }

  /** Whether nothing waits and nothing runs. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  /** The verdict on the message. Rejects with the signal's reason when that aborts first. */
  add(message: ReceivedMessage, signal: AbortSignal): Promise<MessageVerdict> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<MessageVerdict>();
    const waiting: Waiting = { message, resolve, reject };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", () => this.#leave(waiting, signal.reason), { once: true });
    this.#start();
    return promise;
  }

  #leave(waiting: Waiting, reason: unknown): void {
    const index = this.#waiting.indexOf(waiting);
    if (index !== -1) this.#waiting.splice(index, 1);
    // Nobody is left to wait for, and the timer would keep a process alive that has stopped.
    if (this.#waiting.length === 0) this.#clearTimer();
    // A batch that has begun goes on; what it says about this message comes too late.
    waiting.reject(reason);
  }

  #start(): void {
    const { batchSize, batchTimeoutMs, maxConcurrency } = this.#queue;
    while (this.#running < maxConcurrency && this.#waiting.length > 0) {
      if (this.#waiting.length < batchSize && !this.#isDue) {
        this.#timer ??= setTimeout(() => this.#becomeDue(), batchTimeoutMs);
        return;
      }
      this.#clearTimer();
      void this.#run(this.#waiting.splice(0, batchSize));
    }
  }

  #becomeDue(): void {
    this.#timer = null;
    this.#isDue = this.#waiting.length > 0;
    this.#start();
  }

  #clearTimer(): void {
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    this.#running++;
    try {
      const verdicts = await this.#work(batch.map(({ message }) => message));
      batch.forEach(({ resolve }, index) => resolve(verdicts[index] ?? { type: "retry", delayMs: null }));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running--;
      this.#start();
    }
  }
}

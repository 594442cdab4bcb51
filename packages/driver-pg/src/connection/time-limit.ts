/** A limit on one use of a connection: the time it may take, and a signal that ends it early. */
import { operationError } from "./pg-failure.ts";

/** Node's longest timer, about 24.8 days; it would take a longer one for one of a millisecond. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** See the file header. */
export class TimeLimit implements Disposable {
  readonly #operation: string;
  readonly #timeoutMs: number | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #passing: PromiseWithResolvers<never> | null;
  readonly #timer: NodeJS.Timeout | undefined;
  #passed = false;
  #reason: unknown;

  constructor(operation: string, timeoutMs?: number, signal?: AbortSignal) {
    this.#operation = operation;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#passing = timeoutMs === undefined && signal === undefined ? null : Promise.withResolvers<never>();
    this.#passing?.promise.catch(() => {});
    if (timeoutMs !== undefined && timeoutMs > 0) {
      this.#timer = setTimeout(this.#timeOut, Math.min(timeoutMs, LONGEST_TIMER_MS));
    }
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
    else if (timeoutMs !== undefined && timeoutMs <= 0) this.#timeOut();
  }

  /** The time is over, or the signal was given. */
  get passed(): boolean {
    return this.#passed;
  }

  /** @throws what the limit rejects with, when it has passed already. */
  check(): void {
    if (this.#passed) throw this.#reason;
  }

  /** What `promise` settles to, or a rejection as soon as the limit passes. */
  race<T>(promise: Promise<T>): Promise<T> {
    if (this.#passing === null) return promise;
    promise.catch(() => {});
    return Promise.race([this.#passing.promise, promise]);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  readonly #timeOut = (): void => {
    this.#pass(operationError("timeout", this.#operation, { text: `took longer than ${this.#timeoutMs} ms` }));
  };

  readonly #abort = (): void => this.#pass(this.#signal?.reason);

  #pass(error: unknown): void {
    this.#passed = true;
    this.#reason = error;
    this.#passing?.reject(error);
  }
}

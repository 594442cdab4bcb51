/**
 * Size of the batches of one maintenance service. Three statement timeouts in a row within ten minutes make it small for
 * the rest of the process's life: the table is then too big, or the database too busy, for large ones.
 */
import type { Clock } from "../kit/clock.ts";
import { DatabaseOperationError } from "../model/errors/database-operation-error.ts";

/** Rows per batch, and once timeouts have become the rule. */
const [FULL_BATCH, REDUCED_BATCH] = [10_000, 1_000];
/** Timeouts in a row that reduce the batch, and the milliseconds within which they must lie. */
const [TIMEOUTS, WINDOW_MS] = [3, 600_000];

/** See the file header. */
export class BatchBreaker {
  readonly #clock: Clock;
  #timeouts: readonly number[] = [];
  #limit = FULL_BATCH;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rows to ask for. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Runs one statement and takes note of how it ended. A timeout is a retryable failure that came no sooner than the
   * statement's limit, since drivers report no more than that.
   */
  async watch<T>(timeoutMs: number | null, statement: () => Promise<T>): Promise<T> {
    const startedAt = this.#clock.monotonic();
    try {
      const result = await statement();
      this.#timeouts = [];
      return result;
    } catch (error) {
      const tookMs = this.#clock.monotonic() - startedAt;
      // Timers may fire up to a millisecond early.
      if (timeoutMs !== null && tookMs >= timeoutMs - 1 && isRetryableFailure(error)) this.#timedOut();
      throw error;
    }
  }

  #timedOut(): void {
    const now = this.#clock.monotonic();
    this.#timeouts = [...this.#timeouts.filter((at) => now - at <= WINDOW_MS), now];
    if (this.#timeouts.length >= TIMEOUTS) this.#limit = REDUCED_BATCH;
  }
}

function isRetryableFailure(error: unknown): boolean {
  return error instanceof DatabaseOperationError && error.retryable;
}

/** Waiting for a lock without blocking the event loop. */
import { operationError } from "./sqlite-failure.ts";

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** The pauses of one operation, from about 1 ms up to 50 ms, within a limit for all of them together. */
export class BusyBackoff {
  readonly #limitMs: number;
  readonly #deadline: number;
  #pauseMs: number = FIRST_PAUSE_MS;

  /** @param limitMs - milliseconds from now in which pauses may be made. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#deadline = performance.now() + limitMs;
  }

  /** Pauses once; rejects with a retryable `DatabaseOperationError` when the time is used up. */
  async pause(operation: string, cause: unknown): Promise<void> {
    const left = this.#deadline - performance.now();
    if (left <= 0) {
      const text = `the database stayed locked for ${this.#limitMs} ms; inside a transaction of your own pass { tx }`;
      throw operationError("busy", operation, { cause, text });
    }
    // Jitter keeps the processes that wait for one lock from trying in step.
    const pauseMs = Math.min(left, this.#pauseMs * (0.5 + Math.random()));
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
    // oxlint-disable-next-line promise/avoid-new -- a timer has no promise of its own here
    await new Promise<void>((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
}

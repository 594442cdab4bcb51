/** Waiting for code of the application, which may never answer. */
import type { Clock } from "../kit/clock.ts";
import { pause } from "../kit/clock.ts";

/** Longest wait for one callback of the application, in milliseconds. */
const CALLBACK_LIMIT_MS = 30_000;

/** What {@link answerOf} rejects with when no answer came. */
export class NoAnswerError extends Error {
  static {
    this.prototype.name = "NoAnswerError";
  }
}

/**
 * Runs `body` and waits for its result, for 30 s at most and no longer than until `signal` aborts. What it still does
 * after that goes unnoticed.
 *
 * @throws what `body` throws; NoAnswerError when the wait ended first.
 */
export async function answerOf<T>(clock: Clock, signal: AbortSignal, body: () => PromiseLike<T> | T): Promise<T> {
  const waiting = new AbortController();
  const giveUp = (): void => waiting.abort();
  const unanswered = async (): Promise<never> => {
    await pause(clock, CALLBACK_LIMIT_MS, waiting.signal);
    throw new NoAnswerError(
      signal.aborted ? "the term of leadership ended before it answered" : "no answer within 30 s",
    );
  };
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([(async () => body())(), unanswered()]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    giveUp();
  }
}

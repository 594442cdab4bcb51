/** Exponential back-off with jitter, as pure functions of the number of failures in a row. */

/** Bounds of a back-off, in milliseconds. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Claims, control polling and notice streams after a failure. */
export const BACKGROUND_BACKOFF: Backoff = Object.freeze({ baseMs: 250, maxMs: 30_000 });

/** Share by which a delay is varied either way, so that processes that failed together come back apart. */
export const BACKOFF_JITTER = 0.1;

/**
 * Delay before the next try: `baseMs`, doubled per further failure up to `maxMs`, then varied by ±10 %.
 *
 * @param failures - failures in a row, at least 1
 * @param random - uniform in [0, 1)
 */
export function backoffMs(backoff: Backoff, failures: number, random: () => number): number {
  const delay = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(failures - 1, 52));
  return delay * (1 - BACKOFF_JITTER + 2 * BACKOFF_JITTER * random());
}

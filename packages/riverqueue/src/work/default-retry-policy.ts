/** The built-in retry policy, the same in River clients of every language. */

/** 2^63−1 nanoseconds, the longest delay. */
const LONGEST_DELAY_NS = 9_223_372_036_854_775_807n;
const JITTER = 0.1;

/**
 * Nanoseconds until the retry: n⁴ seconds, varied by ±10 %, for the n-th error; from 2^63−1 nanoseconds on (n = 310)
 * exactly that, without variation. Snoozes and interruptions record no error and so do not count.
 *
 * @param errorCount - errors recorded before the failure at hand.
 * @param random - uniform in [0, 1).
 */
export function defaultRetryDelayNs(errorCount: number, random: () => number): bigint {
  const seconds = (errorCount + 1) ** 4;
  if (seconds >= Number(LONGEST_DELAY_NS) / 1e9) return LONGEST_DELAY_NS;
  const varied = seconds * (1 - JITTER + 2 * JITTER * random());
  // Whole microseconds below 2^53 are exact up to about 285 years, and nothing stores more.
  const delay = BigInt(Math.round(varied * 1e6)) * 1000n;
  return delay < LONGEST_DELAY_NS ? delay : LONGEST_DELAY_NS;
}

/** `now` plus {@link defaultRetryDelayNs}. */
export function defaultRetryTime(errorCount: number, now: Temporal.Instant, random: () => number): Temporal.Instant {
  return Temporal.Instant.fromEpochNanoseconds(now.epochNanoseconds + defaultRetryDelayNs(errorCount, random));
}

/** Exact lengths of durations. `Temporal.Duration.prototype.total` gives a `number`, which is too coarse beyond 104 days. */

/** Nanoseconds in `duration`, which has no unit above days; a day is 24 h. */
export function durationNanoseconds(duration: Temporal.Duration): bigint {
  const hours = BigInt(duration.days) * 24n + BigInt(duration.hours);
  const seconds = (hours * 60n + BigInt(duration.minutes)) * 60n + BigInt(duration.seconds);
  const milliseconds = seconds * 1000n + BigInt(duration.milliseconds);
  return (milliseconds * 1000n + BigInt(duration.microseconds)) * 1000n + BigInt(duration.nanoseconds);
}

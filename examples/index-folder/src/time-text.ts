// Times of files as text that people can read and that sorts.

/** Limit of `Temporal.Instant`, in nanoseconds. Some file systems can hold more, and are then cut. */
const LIMIT = 8_640_000_000_000_000_000_000n;

/** ISO 8601 in UTC with as many digits as there are, at most nanoseconds. */
export function toTimeText(nanoseconds: bigint): string {
  const cut = nanoseconds > LIMIT ? LIMIT : nanoseconds < -LIMIT ? -LIMIT : nanoseconds;
  return Temporal.Instant.fromEpochNanoseconds(cut).toString();
}

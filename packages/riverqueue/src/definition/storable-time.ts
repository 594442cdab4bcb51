/** Times that every backend stores and orders alike. SQLite compares times as text, whose year has four digits. */

/** What {@link isStorableTime} accepts, as messages say it. */
export const STORABLE_TIME_EXPECTATION = "must lie in the years 1 to 9999";

/** 0001-01-01T00:00:00Z, in seconds since the Unix epoch; Go counts its periods from here. */
export const YEAR_ONE_SECONDS = -62_135_596_800n;
/** 10000-01-01T00:00:00Z. */
const YEAR_TEN_THOUSAND_SECONDS = 253_402_300_800n;
const SECOND = 1_000_000_000n;

/** Whether a job may be scheduled for `instant`. */
export function isStorableTime(instant: Temporal.Instant): boolean {
  return isStorableEpoch(instant.epochNanoseconds);
}

/** As {@link isStorableTime}, for nanoseconds since the Unix epoch, which may be no instant at all. */
export function isStorableEpoch(epochNanoseconds: bigint): boolean {
  return epochNanoseconds >= YEAR_ONE_SECONDS * SECOND && epochNanoseconds < YEAR_TEN_THOUSAND_SECONDS * SECOND;
}

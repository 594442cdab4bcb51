/**
 * Times that every backend stores and orders alike. SQLite compares times as text, whose year has four digits, and rounds
 * them to milliseconds: what would be rounded up to the year 10000 is refused too.
 */

/** What {@link isStorableTime} accepts, as messages say it. */
export const STORABLE_TIME_EXPECTATION = "must lie in the years 1 to 9999";

/** 0001-01-01T00:00:00Z, in seconds since the Unix epoch; Go counts its periods from here. */
export const YEAR_ONE_SECONDS = -62_135_596_800n;
const SECOND = 1_000_000_000n;
/** 9999-12-31T23:59:59.999Z, in nanoseconds since the Unix epoch. */
const LAST_MILLISECOND = 253_402_300_799_999_000_000n;

/** Whether a job may be scheduled for `instant`. */
export function isStorableTime(instant: Temporal.Instant): boolean {
  return isStorableEpoch(instant.epochNanoseconds);
}

/** As {@link isStorableTime}, for nanoseconds since the Unix epoch, which may be no instant at all. */
export function isStorableEpoch(epochNanoseconds: bigint): boolean {
  return epochNanoseconds >= YEAR_ONE_SECONDS * SECOND && epochNanoseconds < LAST_MILLISECOND;
}

/** Start of the period that an instant lies in. */
import { YEAR_ONE_SECONDS } from "../definition/storable-time.ts";

const YEAR_ONE = YEAR_ONE_SECONDS * 1_000_000_000n;

/**
 * `instant` rounded down to a multiple of `period` nanoseconds counted from 0001-01-01T00:00:00Z, as RFC 3339 in UTC
 * without a fraction.
 */
export function periodBound(instant: Temporal.Instant, period: bigint): string {
  const elapsed = instant.epochNanoseconds - YEAR_ONE;
  const bound = Temporal.Instant.fromEpochNanoseconds(instant.epochNanoseconds - (elapsed % period));
  return bound.toString({ smallestUnit: "second", roundingMode: "floor" });
}

/** UTC offsets of one time zone by instant, in whole seconds since the Unix epoch; looked up once per transition. */
import { ConfigurationError } from "../model/errors/configuration-error.ts";

/** A stretch of time with one offset. Bounds are infinite where there is no transition. */
export interface OffsetSegment {
  /** First second of the stretch. */
  readonly from: number;
  /** First second after the stretch. */
  readonly until: number;
  /** Local time minus UTC, in seconds. */
  readonly offset: number;
}

/** Seconds that a `Temporal.Instant` can hold, either way. */
export const INSTANT_LIMIT_SECONDS = 8_640_000_000_000;

/** See the file header. */
export class ZoneOffsets {
  /** Name of the zone. */
  readonly id: string;
  #latest: OffsetSegment | null = null;

  constructor(id: string) {
    this.id = id;
  }

  offsetAt(seconds: number): number {
    return this.segmentAt(seconds).offset;
  }

  segmentAt(seconds: number): OffsetSegment {
    const latest = this.#latest;
    if (latest !== null && seconds >= latest.from && seconds < latest.until) return latest;
    return (this.#latest = this.#find(seconds));
  }

  #find(seconds: number): OffsetSegment {
    const at = this.#zoned(seconds);
    // The previous transition is strictly earlier, and one at this very second begins the stretch.
    const before = this.#zoned(seconds + 1).getTimeZoneTransition("previous");
    const after = at.getTimeZoneTransition("next");
    return {
      from: before ? before.epochMilliseconds / 1000 : -Infinity,
      until: after ? after.epochMilliseconds / 1000 : Infinity,
      offset: Math.round(at.offsetNanoseconds / 1e9),
    };
  }

  #zoned(seconds: number): Temporal.ZonedDateTime {
    const clamped = Math.max(-INSTANT_LIMIT_SECONDS, Math.min(INSTANT_LIMIT_SECONDS, seconds));
    return Temporal.Instant.fromEpochMilliseconds(clamped * 1000).toZonedDateTimeISO(this.id);
  }
}

/**
 * The zone named `name`: an IANA name in its exact spelling, `UTC`, or `Local` for the zone of this process as it is now.
 *
 * @param path - what the name is called in an error
 * @throws ConfigurationError for any other name.
 */
export function zoneNamed(name: string, path: string): ZoneOffsets {
  const id = name === "Local" ? Temporal.Now.timeZoneId() : canonicalZone(name);
  if (id === null) {
    throw new ConfigurationError(
      `${path} must be an IANA time zone such as "Europe/Berlin", got ${JSON.stringify(name)}`,
    );
  }
  return new ZoneOffsets(id);
}

/** The name itself when it is a known zone. Offsets such as `+01:00` are no zones, and case counts as it does in Go. */
function canonicalZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return timeZoneId === name ? name : null;
  } catch {
    return null;
  }
}

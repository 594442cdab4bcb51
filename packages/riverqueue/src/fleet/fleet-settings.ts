/** The client option `fleet`. */
import { type DurationInput, readDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";

/**
 * What becomes of a client's heartbeat, counts and audit trail. They are written only where the migration line `fleet` is
 * applied. Retentions are at most 100 years, and the leader's count.
 *
 * @addition
 */
export interface FleetOptions {
  /** How long entries of the audit trail are kept, default 30 days. */
  readonly auditRetention?: DurationInput | undefined;
  /** How long a client that is heard of no more is kept, default 1 h. One that stops in order is removed at once. */
  readonly clientRetention?: DurationInput | undefined;
  /** How long the counts of a minute are kept, default 7 days. */
  readonly minuteRetention?: DurationInput | undefined;
}

/** Checked options, in milliseconds. */
export interface FleetSettings {
  readonly auditRetentionMs: number;
  readonly clientRetentionMs: number;
  readonly minuteRetentionMs: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Keeps every "now minus retention" within the years that databases store. */
const LONGEST_MS = 36_500 * DAY;
/** Several heartbeats, so that no living client is removed. */
const SHORTEST_CLIENT_MS = 60_000;

const KEYS: readonly (keyof FleetOptions)[] = Object.freeze(["auditRetention", "clientRetention", "minuteRetention"]);

/** Reads the option; null when it is `false`, which turns all of it off. */
export function resolveFleet(value: unknown, problems: OptionProblems): FleetSettings | null {
  if (value === false) return null;
  const given = value === undefined ? {} : problems.object(value, "fleet", KEYS);
  const retention = (key: keyof FleetOptions, fallback: number, minMs: number): number =>
    readDuration(problems, given[key], `fleet.${key}`, fallback, { minMs, maxMs: LONGEST_MS });
  return Object.freeze({
    auditRetentionMs: retention("auditRetention", 30 * DAY, 0),
    clientRetentionMs: retention("clientRetention", HOUR, SHORTEST_CLIENT_MS),
    minuteRetentionMs: retention("minuteRetention", 7 * DAY, 0),
  });
}

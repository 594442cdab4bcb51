/** What makes two jobs the same, so that the second is not inserted. */
import type { JobState } from "../model/job-state.ts";
import type { DurationInput } from "../options/duration-input.ts";

/**
 * Properties that together form the unique key. While a job with the same key is in one of the unique states an insertion
 * returns it with status `duplicate`. A job for which nothing is asked is not unique.
 */
export interface UniqueOptions {
  /**
   * Compare arguments: all of them, or the values at dotted paths (`["customer.id"]`; `\\.` is a literal dot). A path
   * that is absent from the arguments does not count. Values are compared as encoded, key order inside them included.
   */
  readonly byArgs?: boolean | readonly string[] | undefined;
  /** At most one job per period, at least 1 s. Periods are counted in UTC from 0001-01-01T00:00:00Z. */
  readonly byPeriod?: DurationInput | undefined;
  /** Compare queues. */
  readonly byQueue?: boolean | undefined;
  /**
   * States in which a job holds its key; must contain `available`, `pending`, `running`, `scheduled`. All but
   * `cancelled` and `discarded` unless given.
   */
  readonly byState?: readonly JobState[] | undefined;
  /** Leave the kind out of the key, so that jobs of different kinds exclude each other. Refused when it is alone. */
  readonly excludeKind?: boolean | undefined;
}

/** Unique options that have been checked. */
export interface NormalizedUniqueOptions {
  /** Paths sorted by the bytes of their keys. */
  readonly byArgs: boolean | readonly string[];
  readonly byPeriod: Temporal.Duration | null;
  readonly byQueue: boolean;
  /** Null unless written out. */
  readonly byState: readonly JobState[] | null;
  readonly excludeKind: boolean;
}

/** States in which a unique job holds its key unless `byState` is written out. */
export const DEFAULT_UNIQUE_STATES: readonly JobState[] = Object.freeze([
  "available",
  "completed",
  "pending",
  "retryable",
  "running",
  "scheduled",
] as const);

/**
 * Whether `unique` contradicts deleting completed rows: it means to hold the key of a completed job, by default rather
 * than by choice, and deletion frees it.
 */
export function isUniqueWhenCompletedByDefault(unique: NormalizedUniqueOptions | null | undefined): boolean {
  return unique !== null && unique !== undefined && unique.byState === null;
}

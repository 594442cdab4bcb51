/** What an insertion may say about a job. Known at three levels: the call, the definition, the client. */
import type { JsonObject } from "../json/json-value.ts";
import type { DurationInput } from "../options/duration-input.ts";
import type { NormalizedUniqueOptions, UniqueOptions } from "./unique-options.ts";

/** Whether the commit of an insertion waits for the disk. */
export type InsertDurability = "default" | "relaxed";

/**
 * Options of one job. For every option the most specific level at which it is not `undefined` wins: the call, the
 * definition's `defaults`, the client's `defaultInsertOptions`, River's default. Each is taken whole, never merged.
 */
export interface InsertOptions {
  /**
   * Queue, `default` unless given: 1 to 64 characters, lower-case letters and digits in groups separated by a single
   * `_`, `-` or `|`.
   */
  readonly queue?: string | undefined;
  /** 1 (worked first, the default) to 4. */
  readonly priority?: number | undefined;
  /** Attempts before the job is discarded, 1 to 32,767; 25 unless given. */
  readonly maxAttempts?: number | undefined;
  /**
   * When to run at the earliest, years 1 to 9999. The job is stored `scheduled`, also when the time is past, and may
   * then wait one scheduler interval (5 s); for "now" give neither this nor `delay`. Excludes `delay` at the same level
   * and overrides it across levels.
   */
  readonly scheduledAt?: Date | Temporal.Instant | undefined;
  /**
   * Time from now until the job may run. The job is stored `scheduled`, also when it is zero, and may then wait one
   * scheduler interval (5 s); for "now" give neither this nor `scheduledAt`.
   */
  readonly delay?: DurationInput | undefined;
  /** At most 255 characters each: at least three letters, digits, `_` or, inside, `-`. None unless given. */
  readonly tags?: readonly string[] | undefined;
  /** A JSON object stored beside the arguments, for middleware, tools and people. `{}` unless given. */
  readonly metadata?: JsonObject | undefined;
  /** Stores the job as `pending`: nothing works or schedules it until something outside changes it. False by default. */
  readonly pending?: boolean | undefined;
  /** Skips the insertion when a job with the same key exists. Not unique unless given. */
  readonly unique?: UniqueOptions | undefined;
  /**
   * `relaxed`: the transaction that River opens for this insertion need not wait for the disk at commit, so that a crash
   * of the database server may lose the job. Inside `{ tx }` the caller's transaction decides. `default` unless given.
   *
   * @addition
   */
  readonly durability?: InsertDurability | undefined;
}

/** Insert options that have been checked: frozen copies, times and durations as `Temporal` values. */
export interface NormalizedInsertOptions {
  readonly queue?: string | undefined;
  readonly priority?: number | undefined;
  readonly maxAttempts?: number | undefined;
  readonly scheduledAt?: Temporal.Instant | undefined;
  readonly delay?: Temporal.Duration | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly pending?: boolean | undefined;
  /** Null: given, but with nothing to compare, which makes the job not unique. */
  readonly unique?: NormalizedUniqueOptions | null | undefined;
  /**
   * As given.
   *
   * @addition
   */
  readonly durability?: InsertDurability | undefined;
}

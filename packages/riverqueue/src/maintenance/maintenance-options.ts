/** Options of election and maintenance, as applications give them. They have no effect on a client that never leads. */
import type { DurationInput } from "../options/duration-input.ts";

/** When indexes are rebuilt: the first time after `after`, strictly later; null for never again. */
export type ReindexerSchedule = (after: Temporal.Instant) => Temporal.Instant | null;

/** Indexes of River's tables that are rebuilt unless other names are configured; those of them that exist. */
export const REINDEXER_INDEX_NAMES_DEFAULT: readonly string[] = Object.freeze([
  "river_job_args_index",
  "river_job_kind",
  "river_job_metadata_index",
  "river_job_pkey",
  "river_job_prioritized_fetching_index",
  "river_job_state_and_finalized_at_index",
  "river_job_unique_idx",
]);

/** See the file header. Every duration is at most 100 years; intervals are at least 1 ms. */
export interface MaintenanceOptions {
  /** How long `cancelled` jobs are kept, default 24 h; null keeps them for ever. */
  readonly cancelledJobRetention?: DurationInput | null | undefined;
  /** How long `completed` jobs are kept, default 24 h; null keeps them for ever. */
  readonly completedJobRetention?: DurationInput | null | undefined;
  /** How long `discarded` jobs are kept, default 7 days; null keeps them for ever. */
  readonly discardedJobRetention?: DurationInput | null | undefined;
  /** Time between renewals of leadership, and between bids for it; default 5 s. A lease lasts 10 s longer. */
  readonly electionInterval?: DurationInput | undefined;
  /** Time between deletions of old jobs, default 30 s. */
  readonly jobCleanerInterval?: DurationInput | undefined;
  /** Limit of one statement that deletes old jobs, default 30 s; null for none. */
  readonly jobCleanerTimeout?: DurationInput | null | undefined;
  /** Time between deletions of stored notices, default 1 min. Only where the database stores notices. */
  readonly notificationCleanerInterval?: DurationInput | undefined;
  /** How long stored notices are kept, default 5 min. */
  readonly notificationRetention?: DurationInput | undefined;
  /** Time between deletions of unused queues, default 1 h. */
  readonly queueCleanerInterval?: DurationInput | undefined;
  /** How long a queue that nobody works stays registered, default 24 h. */
  readonly queueRetention?: DurationInput | undefined;
  /** Indexes to rebuild; those of {@link REINDEXER_INDEX_NAMES_DEFAULT} that exist unless given. Empty rebuilds none. */
  readonly reindexerIndexNames?: readonly string[] | undefined;
  /** When indexes are rebuilt, 00:00 UTC every day unless given. Called with the previous scheduled time. */
  readonly reindexerSchedule?: ReindexerSchedule | undefined;
  /** Limit for rebuilding one index, default 1 min; null for none. */
  readonly reindexerTimeout?: DurationInput | null | undefined;
  /**
   * How long a job runs before it is taken for stuck and retried or discarded: default 1 h, or `jobTimeout` + 1 h when
   * the client sets a `jobTimeout`. Not shorter than `jobTimeout`.
   */
  readonly rescueAfter?: DurationInput | undefined;
  /** Time between looks for stuck jobs, default 30 s. */
  readonly rescuerInterval?: DurationInput | undefined;
  /** Time between promotions of due jobs, default 5 s. Also how far ahead a retry is stored `available` at once. */
  readonly schedulerInterval?: DurationInput | undefined;
}

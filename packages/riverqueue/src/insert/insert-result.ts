/** What became of one insertion. */
import type { JsonObject } from "../json/json-value.ts";
import type { JobRow } from "../model/job-row.ts";

/** Outcome of inserting one job. */
export interface InsertResult<Args = JsonObject> {
  /**
   * The new job; for a duplicate the job that holds the unique key, whose arguments, and with `excludeKind` whose kind,
   * may be others.
   */
  readonly job: JobRow<Args>;
  /** `duplicate`: a job with the same unique key existed, nothing was inserted. */
  readonly status: "duplicate" | "inserted";
}

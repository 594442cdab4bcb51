/** Results of the verbs that change one job for an application. */
import type { JobRecord } from "../model/job-record.ts";

/**
 * Result of a manual retry or cancellation. `unique_conflict`: another row holds the job's unique key, nothing was
 * changed; `holderId` is that row, null when it cannot be read any more.
 */
export type ChangeJobResult =
  | { readonly outcome: "done"; readonly job: JobRecord }
  | { readonly outcome: "missing" }
  | { readonly outcome: "unique_conflict"; readonly holderId: bigint | null };

/** Result of deleting one job; a `running` job stays. */
export type DeleteJobResult =
  | { readonly outcome: "done"; readonly job: JobRecord }
  | { readonly outcome: "missing" }
  | { readonly outcome: "running" };

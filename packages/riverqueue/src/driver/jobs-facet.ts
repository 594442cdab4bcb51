/** Everything a driver does with jobs. Verbs are bulk first and atomic; none runs user code except `noticesFor`. */
import type { JobRecord } from "../model/job-record.ts";
import type { DriverCall } from "./call.ts";
import type { ChangeJobResult, DeleteJobResult } from "./change-job.ts";
import type { ClaimJobsParams, ClaimJobsResult } from "./claim-jobs.ts";
import type { InsertedJob, InsertJobsParams } from "./insert-jobs.ts";
import type {
  DeleteFinalizedParams,
  ListStuckParams,
  PromoteJobsParams,
  PromoteJobsResult,
  RescueJobsParams,
} from "./maintain-jobs.ts";
import type { DeleteJobsParams, ListJobsParams } from "./select-jobs.ts";
import type { SettledJob, SettleJobsParams } from "./settle-jobs.ts";

/** Job verbs of a runtime driver. */
export interface JobsFacet<Tx> {
  /** Inserts all jobs or none; results in request order. An empty request makes no database call. */
  insert(params: InsertJobsParams, call?: DriverCall<Tx>): Promise<readonly InsertedJob[]>;
  /** Claims up to `limit` due jobs by priority, scheduled time and ID, skipping rows that others hold. */
  claim(params: ClaimJobsParams, call?: DriverCall<Tx>): Promise<ClaimJobsResult>;
  /** Writes ends of attempts; one result per settlement, in request order. */
  settle(params: SettleJobsParams, call?: DriverCall<Tx>): Promise<readonly SettledJob[]>;
  /** Of the given running attempts, the IDs of those asked to cancel since their claim. */
  cancelRequested(
    params: { readonly clientId: string; readonly ids: readonly bigint[] },
    call?: DriverCall<Tx>,
  ): Promise<readonly bigint[]>;

  get(params: { readonly id: bigint }, call?: DriverCall<Tx>): Promise<JobRecord | null>;
  list(params: ListJobsParams, call?: DriverCall<Tx>): Promise<readonly JobRecord[]>;
  /**
   * Cancels a job that is not finalized: a running one is only marked, any other is finalized; both get the mark
   * `cancel_attempted_at` and a cancel notice in the same transaction. The mark is `requestedAt`, but never older than the
   * claim of a running job, so that a request which was overtaken by the claim still means it. Finalized rows stay.
   */
  cancel(
    params: { readonly id: bigint; readonly requestedAt: Temporal.Instant },
    call?: DriverCall<Tx>,
  ): Promise<ChangeJobResult>;
  /** Makes a job that is not running available now, clears its cancel mark, adds an attempt when none was left. */
  retry(params: { readonly id: bigint }, call?: DriverCall<Tx>): Promise<ChangeJobResult>;
  /** Merges top-level keys of `metadata`, JSON text of an object, in any state. Null when the job is missing. */
  update(params: { readonly id: bigint; readonly metadata: string }, call?: DriverCall<Tx>): Promise<JobRecord | null>;
  delete(params: { readonly id: bigint }, call?: DriverCall<Tx>): Promise<DeleteJobResult>;
  /** All or none: one that the database refuses to delete fails the call. */
  deleteMany(params: DeleteJobsParams, call?: DriverCall<Tx>): Promise<readonly JobRecord[]>;

  promote(params: PromoteJobsParams, call?: DriverCall<Tx>): Promise<PromoteJobsResult | null>;
  listStuck(params: ListStuckParams, call?: DriverCall<Tx>): Promise<readonly JobRecord[]>;
  /** Returns how many rows were rescued. */
  rescue(params: RescueJobsParams, call?: DriverCall<Tx>): Promise<number | null>;
  /** Returns how many rows were deleted; a full batch may leave more. */
  deleteFinalized(params: DeleteFinalizedParams, call?: DriverCall<Tx>): Promise<number | null>;
}

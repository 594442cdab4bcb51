/** The job verbs on Postgres: which run as one statement, which as a transaction, and on which connections. */
import {
  type ChangeJobResult,
  type ClaimJobsParams,
  type ClaimJobsResult,
  type DeleteFinalizedParams,
  type DeleteJobResult,
  type DeleteJobsParams,
  type DriverCall,
  type InsertedJob,
  type InsertJobsParams,
  type JobRecord,
  type JobsFacet,
  type ListJobsParams,
  type ListStuckParams,
  type PromoteJobsParams,
  type PromoteJobsResult,
  type RescueJobsParams,
  type SettledJob,
  type SettleJobsParams,
} from "riverqueue/driver";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { cancelRequests } from "../jobs/cancel-requests.ts";
import { cancelJob, deleteJob, getJob, retryJob, updateJob } from "../jobs/change-job.ts";
import { claimJobs } from "../jobs/claim-jobs.ts";
import { InsertCoalescer } from "../jobs/insert-coalescer.ts";
import { insertJobs, isOneStatement } from "../jobs/insert-jobs.ts";
import { deleteFinalized, listStuck, rescueJobs } from "../jobs/maintain-jobs.ts";
import { promoteJobs } from "../jobs/promote-jobs.ts";
import { settle } from "../jobs/settle.ts";
import { jobRecords } from "../record/pg-job-record.ts";
import type { Runners } from "../scope/runners.ts";
import { deleteManyStatement } from "../sql/jobs/delete-many.ts";
import { listStatement } from "../sql/jobs/list.ts";

type Call = DriverCall<PgTransaction>;

const SEARCH_LIMIT_MS = 30_000;
/** Larger insertions gain nothing by sharing a statement. */
const COALESCED_JOBS = 100;

/** Job verbs of the Postgres driver. */
export class PgJobs implements JobsFacet<PgTransaction> {
  readonly #runners: Runners;
  readonly #inserts: InsertCoalescer;

  constructor(runners: Runners) {
    this.#runners = runners;
    this.#inserts = new InsertCoalescer(runners.work);
  }

  async insert(params: InsertJobsParams, call?: Call): Promise<readonly InsertedJob[]> {
    const { jobs, durability } = params;
    const { work } = this.#runners;
    if (jobs.length === 0) return [];
    if (call?.scope !== undefined) return work.use("jobs.insert", call, (unit) => insertJobs(unit, params, false));
    work.refuseSingleClient("jobs.insert");
    const plain = jobs.length <= COALESCED_JOBS && jobs.every(({ uniqueKey }) => uniqueKey === null);
    if (plain && call?.now === undefined) return this.#inserts.insert(params, call?.timeoutMs);
    const relaxed = durability === "relaxed";
    if (isOneStatement(jobs)) return work.use("jobs.insert", call, (unit) => insertJobs(unit, params, relaxed));
    return work.transact("jobs.insert", call, (unit) => insertJobs(unit, params, false), relaxed);
  }

  claim(params: ClaimJobsParams, call?: Call): Promise<ClaimJobsResult> {
    return claimJobs(this.#runners.work, params, call);
  }

  settle(params: SettleJobsParams, call?: Call): Promise<readonly SettledJob[]> {
    return settle(this.#runners.work, params, call);
  }

  async cancelRequested(
    { clientId, ids }: { readonly clientId: string; readonly ids: readonly bigint[] },
    call?: Call,
  ): Promise<readonly bigint[]> {
    if (ids.length === 0) return [];
    return this.#runners.control.use("jobs.cancelRequested", call, (unit) => cancelRequests(unit, clientId, ids));
  }

  get({ id }: { readonly id: bigint }, call?: Call): Promise<JobRecord | null> {
    return this.#runners.control.use("jobs.get", call, (unit) => getJob(unit, id));
  }

  list(params: ListJobsParams, call?: Call): Promise<readonly JobRecord[]> {
    const limited = { ...call, timeoutMs: call?.timeoutMs ?? SEARCH_LIMIT_MS };
    return this.#runners.work.use("jobs.list", limited, async (unit) => {
      const { text, values } = listStatement(unit.dialect, params);
      return jobRecords((await unit.once(text, values)).rows);
    });
  }

  cancel(
    { id, requestedAt }: { readonly id: bigint; readonly requestedAt: Temporal.Instant },
    call?: Call,
  ): Promise<ChangeJobResult> {
    return cancelJob(this.#runners.work, id, requestedAt, call);
  }

  retry({ id }: { readonly id: bigint }, call?: Call): Promise<ChangeJobResult> {
    return retryJob(this.#runners.work, id, call);
  }

  update({ id, metadata }: { readonly id: bigint; readonly metadata: string }, call?: Call): Promise<JobRecord | null> {
    return this.#runners.work.use("jobs.update", call, (unit) => updateJob(unit, id, metadata));
  }

  delete({ id }: { readonly id: bigint }, call?: Call): Promise<DeleteJobResult> {
    return this.#runners.work.use("jobs.delete", call, (unit) => deleteJob(unit, id));
  }

  deleteMany(params: DeleteJobsParams, call?: Call): Promise<readonly JobRecord[]> {
    return this.#runners.work.use("jobs.deleteMany", call, async (unit) => {
      const { text, values } = deleteManyStatement(unit.dialect, params);
      return jobRecords((await unit.once(text, values)).rows);
    });
  }

  promote(params: PromoteJobsParams, call?: Call): Promise<PromoteJobsResult | null> {
    return promoteJobs(this.#runners.maintenance, params, call);
  }

  listStuck(params: ListStuckParams, call?: Call): Promise<readonly JobRecord[]> {
    return this.#runners.maintenance.use("jobs.listStuck", call, (unit) => listStuck(unit, params));
  }

  rescue(params: RescueJobsParams, call?: Call): Promise<number | null> {
    return rescueJobs(this.#runners.maintenance, params, call);
  }

  deleteFinalized(params: DeleteFinalizedParams, call?: Call): Promise<number | null> {
    return deleteFinalized(this.#runners.maintenance, params, call);
  }
}

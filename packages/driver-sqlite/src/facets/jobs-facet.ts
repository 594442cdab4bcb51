/** The job verbs on SQLite: which run as one statement, which as a transaction, and what the database calls them. */
import type { DatabaseSync } from "node:sqlite";
import type {
  ChangeJobResult,
  ClaimJobsParams,
  ClaimJobsResult,
  DeleteFinalizedParams,
  DeleteJobResult,
  DeleteJobsParams,
  DriverCall,
  InsertedJob,
  InsertJobsParams,
  JobRecord,
  JobsFacet,
  ListJobsParams,
  ListStuckParams,
  PromoteJobsParams,
  PromoteJobsResult,
  RescueJobsParams,
  SettledJob,
  SettleJobsParams,
} from "riverqueue/driver";
import { cancelRequests } from "../jobs/cancel-requests.ts";
import { cancelJob, deleteJob, getJob, retryJob, updateJob } from "../jobs/change-job.ts";
import { claimJobs } from "../jobs/claim-jobs.ts";
import type { InsertCoalescer } from "../jobs/insert-coalescer.ts";
import { insertJobs } from "../jobs/insert-jobs.ts";
import { listJobs } from "../jobs/list-jobs.ts";
import { deleteFinalized, listStuck, rescueJobs } from "../jobs/maintain-jobs.ts";
import { promoteJobs } from "../jobs/promote-jobs.ts";
import { settleJobs } from "../jobs/settle-jobs.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { deleteManyStatement } from "../sql/jobs/delete-many.ts";

type Call = DriverCall<DatabaseSync>;

const SEARCH_LIMIT_MS = 30_000;
/** Larger insertions are worth a transaction of their own. */
const COALESCED_JOBS = 100;

/** Job verbs of the SQLite driver. */
export class SqliteJobs implements JobsFacet<DatabaseSync> {
  readonly #runner: UnitRunner;
  readonly #inserts: InsertCoalescer;

  constructor(runner: UnitRunner, inserts: InsertCoalescer) {
    this.#runner = runner;
    this.#inserts = inserts;
  }

  async insert(params: InsertJobsParams, call?: Call): Promise<readonly InsertedJob[]> {
    if (params.jobs.length === 0) return [];
    if (call?.scope === undefined && call?.now === undefined && params.jobs.length <= COALESCED_JOBS) {
      this.#runner.assertFree("jobs.insert");
      return this.#inserts.insert(params, call?.timeoutMs);
    }
    return this.#runner.transact("jobs.insert", call, (unit) => insertJobs(unit, params), params.durability);
  }

  claim(params: ClaimJobsParams, call?: Call): Promise<ClaimJobsResult> {
    return claimJobs(this.#runner, params, call);
  }

  async settle(params: SettleJobsParams, call?: Call): Promise<readonly SettledJob[]> {
    if (params.settlements.length === 0) return [];
    return this.#runner.transact("jobs.settle", call, (unit) => settleJobs(unit, params));
  }

  cancelRequested(
    { clientId, ids }: { readonly clientId: string; readonly ids: readonly bigint[] },
    call?: Call,
  ): Promise<readonly bigint[]> {
    return this.#runner.read("jobs.cancelRequested", call, (unit) => cancelRequests(unit, clientId, ids));
  }

  get({ id }: { readonly id: bigint }, call?: Call): Promise<JobRecord | null> {
    return this.#runner.read("jobs.get", call, (unit) => getJob(unit, id));
  }

  list(params: ListJobsParams, call?: Call): Promise<readonly JobRecord[]> {
    const read = <T>(body: (unit: Unit) => T): Promise<T> => this.#runner.read("jobs.list", call, body);
    return listJobs(read, params, call?.timeoutMs ?? SEARCH_LIMIT_MS);
  }

  cancel(
    { id, requestedAt }: { readonly id: bigint; readonly requestedAt: Temporal.Instant },
    call?: Call,
  ): Promise<ChangeJobResult> {
    return this.#runner.transact("jobs.cancel", call, (unit) => cancelJob(unit, id, requestedAt));
  }

  retry({ id }: { readonly id: bigint }, call?: Call): Promise<ChangeJobResult> {
    return this.#runner.transact("jobs.retry", call, (unit) => retryJob(unit, id));
  }

  update({ id, metadata }: { readonly id: bigint; readonly metadata: string }, call?: Call): Promise<JobRecord | null> {
    return this.#runner.transact("jobs.update", call, (unit) => updateJob(unit, id, metadata));
  }

  delete({ id }: { readonly id: bigint }, call?: Call): Promise<DeleteJobResult> {
    return this.#runner.transact("jobs.delete", call, (unit) => deleteJob(unit, id));
  }

  deleteMany({ filter, limit }: DeleteJobsParams, call?: Call): Promise<readonly JobRecord[]> {
    return this.#runner.change("jobs.deleteMany", call, ({ connection }) => {
      const { text, values } = deleteManyStatement(filter, limit);
      const deleted = connection.rows(text, ...values).map((row) => new SqliteJobRecord(row));
      return deleted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    });
  }

  promote(params: PromoteJobsParams, call?: Call): Promise<PromoteJobsResult | null> {
    return promoteJobs(this.#runner, params, call);
  }

  listStuck(params: ListStuckParams, call?: Call): Promise<readonly JobRecord[]> {
    return this.#runner.read("jobs.listStuck", call, (unit) => listStuck(unit, params));
  }

  rescue(params: RescueJobsParams, call?: Call): Promise<number | null> {
    return this.#runner.transact("jobs.rescue", call, (unit) => rescueJobs(unit, params));
  }

  deleteFinalized(params: DeleteFinalizedParams, call?: Call): Promise<number | null> {
    return deleteFinalized(this.#runner, params, call);
  }
}

/** `client.jobs`: checks arguments, calls the driver, turns its records and refusals into rows and errors. */
import type {
  JobDeleteManyOptions,
  JobListOptions,
  JobListResult,
  JobOperations,
  JobUpdateOptions,
} from "../api/job-operations.ts";
import type { ChangeJobResult } from "../driver/change-job.ts";
import type { RuntimeDriver } from "../driver/driver.ts";
import type { TransactionOptions } from "../insert/transaction-options.ts";
import { JobRunningError } from "../model/errors/job-running-error.ts";
import { UniqueConflictError } from "../model/errors/unique-conflict-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import { jobRowOf } from "../model/job-row-view.ts";
import type { JobRow } from "../model/job-row.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { nextJobListCursor, readJobListQuery } from "./job-list-query.ts";
import { driverCall, type OperationsContext, readTx, runtimeDriverOf } from "./operations-context.ts";
import { JOB_ID } from "./read-argument.ts";
import { readJobDeletion } from "./read-job-deletion.ts";
import { readJobUpdate } from "./read-job-update.ts";

/** See the file header. */
export class DriverJobOperations<Tx> implements JobOperations<Tx> {
  readonly #context: OperationsContext<Tx>;

  constructor(context: OperationsContext<Tx>) {
    this.#context = context;
  }

  get #jobs(): RuntimeDriver<Tx>["jobs"] {
    return runtimeDriverOf(this.#context, "job operations").jobs;
  }

  async get(id: bigint, options: TransactionOptions<Tx> = {}): Promise<JobRow | null> {
    const tx = readJobCall(id, options);
    return rowOrNull(await this.#jobs.get({ id }, driverCall(this.#context, tx)));
  }

  async list(options: JobListOptions & TransactionOptions<Tx> = {}): Promise<JobListResult> {
    const query = readJobListQuery(options);
    const records = await this.#jobs.list(query.params, driverCall(this.#context, query.tx));
    const jobs = records.map((record) => jobRowOf(record));
    return { jobs, nextCursor: nextJobListCursor(query, jobs) };
  }

  async cancel(id: bigint, options: TransactionOptions<Tx> = {}): Promise<JobRow | null> {
    const tx = readJobCall(id, options);
    const params = { id, requestedAt: this.#context.environment.clock.now() };
    return changedRow(id, "cancelled", await this.#jobs.cancel(params, driverCall(this.#context, tx)));
  }

  async retry(id: bigint, options: TransactionOptions<Tx> = {}): Promise<JobRow | null> {
    const tx = readJobCall(id, options);
    return changedRow(id, "retried", await this.#jobs.retry({ id }, driverCall(this.#context, tx)));
  }

  async delete(id: bigint, options: TransactionOptions<Tx> = {}): Promise<JobRow | null> {
    const tx = readJobCall(id, options);
    const result = await this.#jobs.delete({ id }, driverCall(this.#context, tx));
    if (result.outcome === "running") throw new JobRunningError(id);
    return result.outcome === "done" ? jobRowOf(result.job) : null;
  }

  async deleteMany(options: JobDeleteManyOptions & TransactionOptions<Tx>): Promise<JobRow[]> {
    const { params, tx } = readJobDeletion(options);
    const records = await this.#jobs.deleteMany(params, driverCall(this.#context, tx));
    return records.map((record) => jobRowOf(record));
  }

  async update(id: bigint, options: JobUpdateOptions & TransactionOptions<Tx>): Promise<JobRow | null> {
    assertJobId(id);
    const { metadata, tx } = readJobUpdate(options, this.#context.recordedOutput?.(id));
    const call = driverCall(this.#context, tx);
    const jobs = this.#jobs;
    return rowOrNull(await (metadata === null ? jobs.get({ id }, call) : jobs.update({ id, metadata }, call)));
  }
}

function assertJobId(id: unknown): void {
  const problems = new OptionProblems();
  if (!JOB_ID.accepts(id)) problems.add("id", JOB_ID.expectation);
  problems.throwValidation();
}

/** Checks the arguments of an operation on one job without options of its own. */
function readJobCall(id: unknown, options: unknown): unknown {
  assertJobId(id);
  const problems = new OptionProblems();
  const tx = readTx(problems, problems.object(options, "", ["tx"])["tx"]);
  problems.throwValidation();
  return tx;
}

function rowOrNull(record: JobRecord | null): JobRow | null {
  return record && jobRowOf(record);
}

function changedRow(id: bigint, change: "cancelled" | "retried", result: ChangeJobResult): JobRow | null {
  if (result.outcome === "unique_conflict") {
    const { holderId } = result;
    const holder = holderId === null ? "another job" : `job ${holderId}`;
    throw new UniqueConflictError(`job ${id} cannot be ${change}: ${holder} holds its unique key`, { holderId });
  }
  return result.outcome === "done" ? jobRowOf(result.job) : null;
}

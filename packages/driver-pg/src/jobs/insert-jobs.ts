/** Inserting: any number of jobs as few statements, each with one JSON parameter. */
import type { InsertedJob, InsertJobsParams, JobToInsert } from "riverqueue/driver";
import { randomBytes } from "node:crypto";
import { operationError } from "../connection/pg-failure.ts";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import { noticesJson } from "../notices/notices-json.ts";
import { JOB_COLUMN_COUNT, PgJobRecord } from "../record/pg-job-record.ts";
import { formatTime, parseTime, styleHint } from "../record/pg-time.ts";
import type { Unit } from "../scope/unit.ts";
import { INSERT, INSERT_UNIQUE } from "../sql/jobs/insert.ts";
import { insertedRecord } from "./inserted-record.ts";

const ROWS_PER_STATEMENT = 5_000;
// Far below the gigabyte that Postgres allows for one value.
const CHARACTERS_PER_STATEMENT = 64_000_000;

/** Whether an insertion is one statement, which is atomic by itself. */
export function isOneStatement(jobs: readonly JobToInsert[]): boolean {
  return jobs.length <= ROWS_PER_STATEMENT && characters(jobs) <= CHARACTERS_PER_STATEMENT;
}

/** Writes the jobs and their notices; results in the order of the request. Several statements need a transaction. */
export async function insertJobs(
  unit: Unit,
  { jobs, notices }: Pick<InsertJobsParams, "jobs" | "notices">,
  relaxed: boolean,
): Promise<InsertedJob[]> {
  const results: InsertedJob[] = [];
  let unsent = noticesJson(notices);
  for (const batch of isOneStatement(jobs) ? [jobs] : batches(jobs)) {
    const values = [rowsJson(batch), unit.now, unsent, relaxed ? "off" : null];
    const unique = batch.some(({ uniqueKey }) => uniqueKey !== null);
    results.push(...(unique ? await insertUnique(unit, values) : await insertPlain(unit, batch, values)));
    unsent = "[]";
  }
  return results;
}

async function insertPlain(
  unit: Unit,
  jobs: readonly JobToInsert[],
  values: readonly PgValue[],
): Promise<InsertedJob[]> {
  const [ids, insertedAt] = (await unit.row(INSERT, ...values)) ?? [];
  const createdAt = parseTime(insertedAt ?? "");
  const idTexts = ids?.split(",") ?? [];
  if (createdAt === null) {
    const text = `the time of insertion cannot be read${styleHint(insertedAt ?? "")}`;
    throw operationError("other", unit.operation, { text });
  }
  if (idTexts.length !== jobs.length) throw new RangeError("the database inserted fewer rows");
  return jobs.map((job, index) => ({
    job: insertedRecord(job, BigInt(idTexts[index] ?? 0), createdAt),
    duplicate: false,
  }));
}

async function insertUnique(unit: Unit, values: readonly PgValue[]): Promise<InsertedJob[]> {
  const nonce = unit.dialect.tellsByXmax ? [] : [randomBytes(8).toString("hex")];
  const rows = await unit.rows(INSERT_UNIQUE, ...values, ...nonce);
  return rows.map((row: PgRow) => ({ job: new PgJobRecord(row), duplicate: row[JOB_COLUMN_COUNT] === "true" }));
}

/** JSON texts go in as they are: each was made or checked by the core, and the database reads them once. */
function rowsJson(jobs: readonly JobToInsert[]): string {
  return `[${jobs.map(rowJson).join(",")}]`;
}

function rowJson(job: JobToInsert): string {
  const { kind, queue, state, priority, maxAttempts, args, metadata, tags, scheduledAt, uniqueKey, uniqueStates } = job;
  let json =
    `{"kind":${JSON.stringify(kind)},"queue":${JSON.stringify(queue)},"state":"${state}","priority":${priority},` +
    `"max_attempts":${maxAttempts},"args":${args}`;
  if (metadata !== "{}") json += `,"metadata":${metadata}`;
  if (tags.length > 0) json += `,"tags":${JSON.stringify(tags)}`;
  if (scheduledAt !== null) json += `,"scheduled_at":"${formatTime(scheduledAt)}"`;
  if (uniqueKey !== null) json += `,"unique_key":"${uniqueKey.toHex()}"`;
  if (uniqueStates !== null && uniqueStates !== 0) json += `,"unique_states":${uniqueStates}`;
  return `${json}}`;
}

function characters(jobs: readonly JobToInsert[]): number {
  return jobs.reduce((sum, { args, metadata }) => sum + args.length + metadata.length, 0);
}

/** Splits by number and size; a very large job is a batch of its own. */
function* batches(jobs: readonly JobToInsert[]): Generator<readonly JobToInsert[]> {
  let batch: JobToInsert[] = [];
  let size = 0;
  for (const job of jobs) {
    const own = job.args.length + job.metadata.length;
    if (batch.length === ROWS_PER_STATEMENT || (batch.length > 0 && size + own > CHARACTERS_PER_STATEMENT)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(job);
    size += own;
  }
  yield batch;
}

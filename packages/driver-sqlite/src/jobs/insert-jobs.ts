/** Inserting: a job whose unique key is taken is answered with the row that holds it, every other is written. */
import {
  bitmaskOfStates,
  type InsertedJob,
  type InsertJobsParams,
  type JobRecord,
  type JobToInsert,
} from "riverqueue/driver";
import type { SqliteValue } from "../connection/sqlite-connection.ts";
import { formatOptionalTime } from "../record/canonical-time.ts";
import { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import type { Unit } from "../scope/unit.ts";
import { HOLDERS } from "../sql/jobs/holders.ts";
import { INSERT, INSERT_ONE } from "../sql/jobs/insert.ts";
import { insertedRecord } from "./inserted-record.ts";

const ROWS_PER_STATEMENT = 1_000;
// Far below the billion bytes that SQLite allows for one parameter, also after escaping.
const CHARACTERS_PER_STATEMENT = 16_000_000;

/** Whether `insertJobs` needs no more than one statement, which SQLite makes atomic by itself. */
export function insertsInOneStatement({ jobs, notices }: InsertJobsParams): boolean {
  return notices.length === 0 && jobs.length === 1 && jobs[0]?.uniqueKey === null;
}

/** Writes the jobs and their notices; results in the order of the request. Runs inside one transaction. */
export function insertJobs(unit: Unit, { jobs, notices }: InsertJobsParams): InsertedJob[] {
  const holders = findHolders(unit, jobs);
  const results = jobs.map((job) => duplicateOf(job, holders));
  const free = jobs.filter((_, index) => results[index] === null);
  const inserted = writeJobs(unit, free).values();
  unit.send(notices);
  return results.map((duplicate) => duplicate ?? { job: next(inserted), duplicate: false });
}

/** The rows that hold keys of the request, by key. The write lock is held, so the answer stays true. */
function findHolders(unit: Unit, jobs: readonly JobToInsert[]): Map<string, JobRecord> {
  const holders = new Map<string, JobRecord>();
  const keys = jobs.filter(wantsKey).map(hexKey);
  if (keys.length === 0) return holders;
  for (const row of unit.connection.rows(HOLDERS, JSON.stringify(keys))) {
    const holder = new SqliteJobRecord(row);
    if (holder.uniqueKey !== null) holders.set(holder.uniqueKey.toHex(), holder);
  }
  return holders;
}

function duplicateOf(job: JobToInsert, holders: Map<string, JobRecord>): InsertedJob | null {
  const holder = wantsKey(job) ? holders.get(hexKey(job)) : undefined;
  return holder === undefined ? null : { job: holder, duplicate: true };
}

/** A job that would not occupy its key in its first state collides with nobody. */
function wantsKey(job: JobToInsert): boolean {
  return job.uniqueKey !== null && ((job.uniqueStates ?? 0) & bitmaskOfStates([job.state])) !== 0;
}

function hexKey(job: JobToInsert): string {
  return job.uniqueKey?.toHex() ?? "";
}

function writeJobs(unit: Unit, jobs: readonly JobToInsert[]): JobRecord[] {
  const createdAt = Temporal.Instant.fromEpochMilliseconds(unit.nowMs);
  const records: JobRecord[] = [];
  for (const batch of batches(jobs)) {
    const ids = writeBatch(unit, batch);
    for (const [index, job] of batch.entries()) records.push(insertedRecord(job, ids[index] ?? 0n, createdAt));
  }
  return records;
}

/** The new IDs in the order of `batch`: within one statement they ascend as the rows do, whatever order they return in. */
function writeBatch(unit: Unit, batch: readonly JobToInsert[]): bigint[] {
  const rows = batch.map(jobValues);
  const [first] = rows;
  const returned =
    rows.length === 1 && first !== undefined
      ? unit.connection.rows(INSERT_ONE, ...first, unit.now)
      : unit.connection.rows(INSERT, JSON.stringify(rows), unit.now);
  return returned.map(([id]) => id as bigint).toSorted((a, b) => (a < b ? -1 : 1));
}

/** The values of one job in the order of the statements. */
function jobValues(job: JobToInsert): SqliteValue[] {
  return [
    job.args,
    job.kind,
    job.maxAttempts,
    job.metadata,
    job.priority,
    job.queue,
    job.state,
    formatOptionalTime(job.scheduledAt),
    JSON.stringify(job.tags),
    job.uniqueKey?.toHex() ?? null,
    job.uniqueStates === 0 ? null : job.uniqueStates,
  ];
}

/** Splits by number and size; a very large job is a batch of its own. */
function* batches(jobs: readonly JobToInsert[]): Generator<JobToInsert[]> {
  let batch: JobToInsert[] = [];
  let characters = 0;
  for (const job of jobs) {
    const size = job.args.length + job.metadata.length;
    if (batch.length === ROWS_PER_STATEMENT || (batch.length > 0 && characters + size > CHARACTERS_PER_STATEMENT)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(job);
    characters += size;
  }
  if (batch.length > 0) yield batch;
}

function next(records: IterableIterator<JobRecord>): JobRecord {
  const { value, done } = records.next();
  if (done === true) throw new RangeError("the database returned fewer rows than were inserted");
  return value;
}

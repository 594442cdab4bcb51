// Turns what the walk finds into rows and jobs.
import type { Client, RegisteredTransaction } from "riverqueue";
import type { FileRow } from "./files-table.ts";
import type { FoundFile } from "./find-files.ts";
import type { IndexDatabase } from "./index-database.ts";
import { indexFile, type IndexFileInput } from "./index-file-job.ts";
import { showText, toPathBytes } from "./stored-path.ts";

/** Rows and jobs per transaction: enough to be quick, and short enough to let the jobs write in between. */
const BATCH_SIZE = 500;

/** What became of the files of a batch. */
export interface Enqueued {
  /** Files in the batch. */
  readonly found: number;
  /** Jobs that files of the batch have now, from this run or an earlier one. */
  readonly jobIds: readonly bigint[];
}

/**
 * Stores files, and inserts a job for each one that is new, has changed, or was given up by an earlier run. The table
 * decides, not the jobs: River deletes finished ones after a while.
 */
export async function* enqueueFiles(
  client: Client,
  database: IndexDatabase,
  files: AsyncIterable<FoundFile>,
): AsyncGenerator<Enqueued, void, undefined> {
  let batch: FoundFile[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < BATCH_SIZE) continue;
    yield await enqueueBatch(client, database, batch);
    batch = [];
  }
  if (batch.length > 0) yield await enqueueBatch(client, database, batch);
}

async function enqueueBatch(client: Client, database: IndexDatabase, batch: readonly FoundFile[]): Promise<Enqueued> {
  // Rows and jobs are one transaction: there is never a row without its job, nor a job without its row.
  return await database.write(async (tx, files) => {
    const saved = await files.saveFound(batch);
    const wanted = saved.filter(({ isIndexed }) => !isIndexed).map(({ row }) => row);
    const queued = await findQueuedJobs(client, tx, wanted);
    const jobless = wanted.filter(({ jobId }) => jobId === null || !queued.has(jobId));
    const results = await client.insertMany(jobless.map(toInsertion), { tx });
    const assignments = results.flatMap(({ job }, index) => {
      const row = jobless[index];
      return row === undefined ? [] : [{ fileId: row.id, jobId: job.id }];
    });
    await files.assignJobs(assignments);
    return { found: batch.length, jobIds: [...queued, ...assignments.map(({ jobId }) => jobId)] };
  });
}

/** The insertion of a job for a file. */
export function toInsertion({ path }: FileRow): { job: typeof indexFile; args: IndexFileInput } {
  const bytes = toPathBytes(path);
  return { job: indexFile, args: { path: showText(bytes.toString()), bytes: bytes.toString("base64") } };
}

/** Of the jobs that these files have, those that will be worked still. They will read the files as they are then. */
async function findQueuedJobs(
  client: Client,
  tx: RegisteredTransaction,
  rows: readonly FileRow[],
): Promise<ReadonlySet<bigint>> {
  const ids = rows.flatMap(({ jobId }) => (jobId === null ? [] : [jobId]));
  if (ids.length === 0) return new Set();
  const states = ["available", "pending", "retryable", "running", "scheduled"] as const;
  const { jobs } = await client.jobs.list({ ids, states, limit: BATCH_SIZE, tx });
  return new Set(jobs.map(({ id }) => id));
}

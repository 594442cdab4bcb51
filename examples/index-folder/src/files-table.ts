// Statements on the table `files`. Those that write belong into a transaction.
import type { DatabaseSync } from "node:sqlite";
import type { FoundFile } from "./find-files.ts";
import type { Measurement } from "./measure-file.ts";
import { type StoredPath, toStoredPath } from "./stored-path.ts";

/** Which file a row stands for, and which job has it. */
export interface FileRow {
  readonly id: number;
  readonly path: StoredPath;
  readonly jobId: bigint | null;
}

/** Stores a file as it is now. A row whose file has changed since it was indexed loses its results. */
export function saveFoundFile(tx: DatabaseSync, file: FoundFile): { row: FileRow; isIndexed: boolean } {
  const path = toStoredPath(file.path);
  tx.prepare(
    `insert into files (path, size, modified_at) values (?, ?, ?)
     on conflict (path) do update set size = excluded.size, modified_at = excluded.modified_at,
       lines = null, sha256 = null, compression_ratio = null, indexed_at = null
     where size <> excluded.size or modified_at <> excluded.modified_at`,
  ).run(path, file.size, file.modifiedAt);
  const found = tx.prepare("select id, path, job_id, indexed_at from files where path = ?").get(path);
  if (found === undefined) throw new Error("a row that was just written is not there");
  return { row: toFileRow(found), isIndexed: found["indexed_at"] !== null };
}

/** Gives a file to a job; from now on only that one may write results. */
export function assignJob(tx: DatabaseSync, fileId: number, jobId: bigint): void {
  tx.prepare("update files set job_id = ? where id = ?").run(jobId, fileId);
}

/** The file that a job has; null when it has none, or none any more. */
export function findFileOfJob(database: DatabaseSync, jobId: bigint): FileRow | null {
  const found = database.prepare("select id, path, job_id from files where job_id = ?").get(jobId);
  return found === undefined ? null : toFileRow(found);
}

/** Writes the results of a job, and counts them; false when the file has been given to another job. */
export function saveMeasurement(tx: DatabaseSync, jobId: bigint, measured: Measurement): boolean {
  const { changes } = tx
    .prepare(
      `update files set size = ?, modified_at = ?, lines = ?, sha256 = ?, compression_ratio = ?, indexed_at = ?,
         indexed_count = indexed_count + 1
       where job_id = ?`,
    )
    .run(
      measured.size,
      measured.modifiedAt,
      measured.lines,
      measured.sha256,
      measured.compressionRatio,
      Temporal.Now.instant().toString(),
      jobId,
    );
  return changes === 1;
}

/** Removes the file that a job has. */
export function removeFileOfJob(tx: DatabaseSync, jobId: bigint): boolean {
  return tx.prepare("delete from files where job_id = ?").run(jobId).changes === 1;
}

function toFileRow(found: Record<string, unknown>): FileRow {
  const jobId = found["job_id"] as number | null;
  return {
    id: found["id"] as number,
    path: found["path"] as StoredPath,
    jobId: jobId === null ? null : BigInt(jobId),
  };
}

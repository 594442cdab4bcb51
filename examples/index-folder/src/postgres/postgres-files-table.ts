// The table `files` on Postgres, in a schema of the demo's own. Many files are one statement.
import type { FileRow, FilesTable, FolderFigures, SavedFile } from "../files-table.ts";
import type { FoundFile } from "../find-files.ts";
import type { Measurement } from "../measure-file.ts";
import { prefixOf, showText } from "../stored-path.ts";
import { type Queryable, runStatement } from "./run-statement.ts";

/** Schema of the demo: its tables, and River's. */
export const SCHEMA = "river_index_folder";

/**
 * `shown` is the path for people, who read bytes badly. `job_id` is the job that has the file now: results of any other
 * are not taken. `indexed_count` grows in the transaction that completes a job, so it tells how often the file was
 * indexed. What a walk has met is of no use after a crash, and goes into no log.
 */
export const POSTGRES_TABLES: string = `
  create table if not exists ${SCHEMA}.files (
    id bigint generated always as identity primary key,
    path bytea not null unique,
    shown text not null,
    size bigint not null,
    modified_at text not null,
    job_id bigint,
    lines bigint,
    sha256 text,
    compression_ratio double precision,
    indexed_at timestamptz,
    indexed_count integer not null default 0
  );
  create index if not exists files_by_job on ${SCHEMA}.files (job_id);
  create index if not exists files_not_indexed on ${SCHEMA}.files (id) where indexed_at is null;
  create unlogged table if not exists ${SCHEMA}.met (file_id bigint primary key);
`;

/** A condition on `path`, with the prefix as the first parameter. */
const PATH_BEGINS_WITH = "substring(path from 1 for octet_length($1::bytea)) = $1::bytea";

/** See the file header. */
export class PostgresFilesTable implements FilesTable {
  readonly #on: Queryable;

  /** @param on The connection of a transaction, or a pool. */
  constructor(on: Queryable) {
    this.#on = on;
  }

  async beginWalk(): Promise<void> {
    await runStatement(this.#on, `delete from ${SCHEMA}.met`);
  }

  async saveFound(files: readonly FoundFile[]): Promise<readonly SavedFile[]> {
    const paths = files.map(({ path }) => path);
    await runStatement(
      this.#on,
      `insert into ${SCHEMA}.files as known (path, shown, size, modified_at)
       select * from unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[])
       on conflict (path) do update set size = excluded.size, modified_at = excluded.modified_at,
         lines = null, sha256 = null, compression_ratio = null, indexed_at = null
       where known.size <> excluded.size or known.modified_at <> excluded.modified_at`,
      [
        paths,
        paths.map((path) => showText(path.toString())),
        files.map(({ size }) => size),
        files.map(({ modifiedAt }) => modifiedAt),
      ],
    );
    const { rows } = await runStatement(
      this.#on,
      `with found as (
         select id, path, job_id, indexed_at is not null as is_indexed, place
         from unnest($1::bytea[]) with ordinality as given (path, place) join ${SCHEMA}.files using (path)
       ), met as (
         insert into ${SCHEMA}.met (file_id) select id from found on conflict do nothing
       )
       select * from found order by place`,
      [paths],
    );
    return rows.map((found) => ({ row: toFileRow(found), isIndexed: found["is_indexed"] === true }));
  }

  async noteUnknown(path: Buffer): Promise<void> {
    await runStatement(
      this.#on,
      `insert into ${SCHEMA}.met (file_id)
       select id from ${SCHEMA}.files where ${PATH_BEGINS_WITH} or path = $2 on conflict do nothing`,
      [prefixOf(path), path],
    );
  }

  async removeMissing(folder: Buffer): Promise<number> {
    const { count } = await runStatement(
      this.#on,
      `delete from ${SCHEMA}.files
       where ${PATH_BEGINS_WITH} and not exists (select from ${SCHEMA}.met where file_id = id)`,
      [prefixOf(folder)],
    );
    return count;
  }

  async assignJobs(assignments: readonly { readonly fileId: bigint; readonly jobId: bigint }[]): Promise<void> {
    await runStatement(
      this.#on,
      `update ${SCHEMA}.files set job_id = given.job_id
       from unnest($1::bigint[], $2::bigint[]) as given (id, job_id) where files.id = given.id`,
      [assignments.map(({ fileId }) => fileId), assignments.map(({ jobId }) => jobId)],
    );
  }

  async findByJob(jobId: bigint): Promise<FileRow | null> {
    const { rows } = await runStatement(this.#on, `select id, path, job_id from ${SCHEMA}.files where job_id = $1`, [
      jobId,
    ]);
    return rows[0] === undefined ? null : toFileRow(rows[0]);
  }

  async saveMeasurement(jobId: bigint, measured: Measurement): Promise<boolean> {
    const { size, modifiedAt, lines, sha256, compressionRatio } = measured;
    const { count } = await runStatement(
      this.#on,
      `update ${SCHEMA}.files set size = $1, modified_at = $2, lines = $3, sha256 = $4, compression_ratio = $5,
         indexed_at = $6, indexed_count = indexed_count + 1
       where job_id = $7`,
      [size, modifiedAt, lines, sha256, compressionRatio, Temporal.Now.instant().toString(), jobId],
    );
    return count === 1;
  }

  async removeByJob(jobId: bigint): Promise<boolean> {
    return (await runStatement(this.#on, `delete from ${SCHEMA}.files where job_id = $1`, [jobId])).count === 1;
  }

  async figures(folder: Buffer, since: Temporal.Instant): Promise<FolderFigures> {
    const { rows } = await runStatement(
      this.#on,
      `select count(*) as files, coalesce(sum(size), 0) as bytes, coalesce(sum(lines), 0) as lines,
         count(*) filter (where indexed_at >= $2) as indexed_since
       from ${SCHEMA}.files where ${PATH_BEGINS_WITH}`,
      [prefixOf(folder), since.toString()],
    );
    return {
      files: Number(rows[0]?.["files"]),
      indexedSince: Number(rows[0]?.["indexed_since"]),
      bytes: Number(rows[0]?.["bytes"]),
      lines: Number(rows[0]?.["lines"]),
    };
  }

  async notIndexed(folder: Buffer): Promise<readonly FileRow[]> {
    const { rows } = await runStatement(
      this.#on,
      `select id, path, job_id from ${SCHEMA}.files where indexed_at is null and ${PATH_BEGINS_WITH} order by path`,
      [prefixOf(folder)],
    );
    return rows.map(toFileRow);
  }
}

/** `pg` reads a bigint as text. */
function toFileRow(found: Readonly<Record<string, unknown>>): FileRow {
  const jobId = found["job_id"] as string | null;
  return {
    id: BigInt(found["id"] as string),
    path: found["path"] as Buffer,
    jobId: jobId === null ? null : BigInt(jobId),
  };
}

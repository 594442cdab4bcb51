// The table `files` on SQLite. Its functions are asynchronous because those of other databases are.
import type { DatabaseSync } from "node:sqlite";
import type { FileRow, FilesTable, FolderFigures, SavedFile } from "../files-table.ts";
import type { FoundFile } from "../find-files.ts";
import type { Measurement } from "../measure-file.ts";
import { prefixOf, type StoredPath, toStoredPath } from "../stored-path.ts";

/**
 * `path` is text, or bytes when it is not UTF-8. `job_id` is the job that has the file now: results of any other are not
 * taken. `indexed_count` grows in the transaction that completes a job, so it tells how often the file was indexed.
 */
export const SQLITE_TABLES = `
  create table if not exists files (
    id integer primary key,
    path any not null unique,
    size integer not null,
    modified_at text not null,
    job_id integer,
    lines integer,
    sha256 text,
    compression_ratio real,
    indexed_at text,
    indexed_count integer not null default 0
  ) strict;
  create index if not exists files_by_job on files (job_id);
  create index if not exists files_not_indexed on files (id) where indexed_at is null;
`;

/** A condition on `path`, with the prefix as its two parameters. Bytes are compared, because paths are bytes. */
const PATH_BEGINS_WITH = "substr(cast(path as blob), 1, length(?)) = ?";

/** See the file header. */
export class SqliteFilesTable implements FilesTable {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The note of what was met is temporary: it belongs to this handle alone. */
  async beginWalk(): Promise<void> {
    this.#database.exec("create temp table if not exists met (file_id integer primary key); delete from temp.met");
  }

  async saveFound(files: readonly FoundFile[]): Promise<readonly SavedFile[]> {
    const save = this.#database.prepare(
      `insert into files (path, size, modified_at) values (?, ?, ?)
       on conflict (path) do update set size = excluded.size, modified_at = excluded.modified_at,
         lines = null, sha256 = null, compression_ratio = null, indexed_at = null
       where size <> excluded.size or modified_at <> excluded.modified_at`,
    );
    const read = this.#database.prepare("select id, path, job_id, indexed_at from files where path = ?");
    const meet = this.#database.prepare("insert or ignore into temp.met (file_id) values (?)");
    return files.map((file) => {
      const path = toStoredPath(file.path);
      save.run(path, file.size, file.modifiedAt);
      const found = read.get(path);
      if (found === undefined) throw new Error("a row that was just written is not there");
      const row = toFileRow(found);
      meet.run(row.id);
      return { row, isIndexed: found["indexed_at"] !== null };
    });
  }

  async noteUnknown(path: Buffer): Promise<void> {
    const prefix = prefixOf(path);
    this.#database
      .prepare(
        `insert or ignore into temp.met (file_id)
         select id from files where ${PATH_BEGINS_WITH} or cast(path as blob) = ?`,
      )
      .run(prefix, prefix, path);
  }

  async removeMissing(folder: Buffer): Promise<number> {
    const prefix = prefixOf(folder);
    const { changes } = this.#database
      .prepare(`delete from files where ${PATH_BEGINS_WITH} and id not in (select file_id from temp.met)`)
      .run(prefix, prefix);
    return Number(changes);
  }

  async assignJobs(assignments: readonly { readonly fileId: bigint; readonly jobId: bigint }[]): Promise<void> {
    const assign = this.#database.prepare("update files set job_id = ? where id = ?");
    for (const { fileId, jobId } of assignments) assign.run(jobId, fileId);
  }

  async findByJob(jobId: bigint): Promise<FileRow | null> {
    const found = this.#database.prepare("select id, path, job_id from files where job_id = ?").get(jobId);
    return found === undefined ? null : toFileRow(found);
  }

  async saveMeasurement(jobId: bigint, measured: Measurement): Promise<boolean> {
    const { size, modifiedAt, lines, sha256, compressionRatio } = measured;
    const { changes } = this.#database
      .prepare(
        `update files set size = ?, modified_at = ?, lines = ?, sha256 = ?, compression_ratio = ?, indexed_at = ?,
           indexed_count = indexed_count + 1
         where job_id = ?`,
      )
      .run(size, modifiedAt, lines, sha256, compressionRatio, Temporal.Now.instant().toString(), jobId);
    return changes === 1;
  }

  async removeByJob(jobId: bigint): Promise<boolean> {
    return this.#database.prepare("delete from files where job_id = ?").run(jobId).changes === 1;
  }

  async figures(folder: Buffer, since: Temporal.Instant): Promise<FolderFigures> {
    const prefix = prefixOf(folder);
    const figures = this.#database
      .prepare(
        `select count(*) as files, total(size) as bytes, total(lines) as lines,
           count(*) filter (where indexed_at >= ?) as indexed_since
         from files where ${PATH_BEGINS_WITH}`,
      )
      .get(since.toString(), prefix, prefix);
    return {
      files: Number(figures?.["files"]),
      indexedSince: Number(figures?.["indexed_since"]),
      bytes: Number(figures?.["bytes"]),
      lines: Number(figures?.["lines"]),
    };
  }

  async notIndexed(folder: Buffer): Promise<readonly FileRow[]> {
    const prefix = prefixOf(folder);
    return this.#database
      .prepare(`select id, path, job_id from files where indexed_at is null and ${PATH_BEGINS_WITH} order by path`)
      .all(prefix, prefix)
      .map(toFileRow);
  }
}

function toFileRow(found: Record<string, unknown>): FileRow {
  const jobId = found["job_id"] as number | null;
  return {
    id: BigInt(found["id"] as number),
    path: found["path"] as StoredPath,
    jobId: jobId === null ? null : BigInt(jobId),
  };
}

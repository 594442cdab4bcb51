// What the index holds about a folder, as the summary tells it.
import type { DatabaseSync } from "node:sqlite";
import type { Client } from "riverqueue";
import { PATH_BEGINS_WITH } from "./missing-files.ts";
import { prefixOf, showPath, showText, type StoredPath } from "./stored-path.ts";

/** Something that could not be indexed. */
export interface Failure {
  /** Relative to the folder; printable. */
  readonly path: string;
  readonly reason: string;
}

/** Figures about a folder. */
export interface IndexReport {
  readonly files: number;
  /** Files that were indexed since the run began. */
  readonly indexedNow: number;
  readonly bytes: number;
  readonly lines: number;
  readonly failures: readonly Failure[];
}

/** Rows whose jobs are looked up together. */
const PAGE = 500;

/** Reads the figures. Every row without results counts as a failure, so the jobs have to be settled. */
export async function readReport(
  client: Client,
  reader: DatabaseSync,
  folder: Buffer,
  since: Temporal.Instant,
): Promise<IndexReport> {
  const prefix = prefixOf(folder);
  const figures = reader
    .prepare(
      `select count(*) as files, total(size) as bytes, total(lines) as lines,
         count(*) filter (where indexed_at >= ?) as indexed_now
       from files where ${PATH_BEGINS_WITH}`,
    )
    .get(since.toString(), prefix, prefix);
  return {
    files: Number(figures?.["files"]),
    indexedNow: Number(figures?.["indexed_now"]),
    bytes: Number(figures?.["bytes"]),
    lines: Number(figures?.["lines"]),
    failures: await readFailures(client, reader, folder),
  };
}

async function readFailures(client: Client, reader: DatabaseSync, folder: Buffer): Promise<Failure[]> {
  const prefix = prefixOf(folder);
  const rows = reader
    .prepare(`select path, job_id from files where indexed_at is null and ${PATH_BEGINS_WITH} order by path`)
    .all(prefix, prefix);
  const failures: Failure[] = [];
  for (let start = 0; start < rows.length; start += PAGE) {
    const page = rows.slice(start, start + PAGE);
    const ids = page.map((row) => BigInt(row["job_id"] as number));
    const { jobs } = await client.jobs.list({ ids, limit: PAGE });
    const reasons = new Map(jobs.map(({ id, errors, state }) => [id, errors.at(-1)?.error ?? `its job is ${state}`]));
    for (const [index, id] of ids.entries()) {
      const path = page[index]?.["path"] as StoredPath;
      failures.push({ path: showPath(path, folder), reason: showText(reasons.get(id) ?? "its job is gone") });
    }
  }
  return failures;
}

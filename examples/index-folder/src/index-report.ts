// What the index holds about a folder, as the summary tells it.
import type { Client } from "riverqueue";
import type { FilesTable } from "./files-table.ts";
import { showPath, showText } from "./stored-path.ts";

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
  files: FilesTable,
  folder: Buffer,
  since: Temporal.Instant,
): Promise<IndexReport> {
  const { indexedSince, ...figures } = await files.figures(folder, since);
  return { ...figures, indexedNow: indexedSince, failures: await readFailures(client, files, folder) };
}

async function readFailures(client: Client, files: FilesTable, folder: Buffer): Promise<Failure[]> {
  const rows = await files.notIndexed(folder);
  const failures: Failure[] = [];
  for (let start = 0; start < rows.length; start += PAGE) {
    const page = rows.slice(start, start + PAGE);
    const ids = page.flatMap(({ jobId }) => (jobId === null ? [] : [jobId]));
    const { jobs } = await client.jobs.list({ ids, limit: PAGE });
    const reasons = new Map(jobs.map(({ id, errors, state }) => [id, errors.at(-1)?.error ?? `its job is ${state}`]));
    for (const { path, jobId } of page) {
      const reason = jobId === null ? undefined : reasons.get(jobId);
      failures.push({ path: showPath(path, folder), reason: showText(reason ?? "its job is gone") });
    }
  }
  return failures;
}

/** Merging metadata at its top level, which SQLite's own functions do only recursively. */
import type { SqliteJobRecord } from "../record/sqlite-job-record.ts";
import { mergeJsonObjects } from "../record/json-members.ts";

/** The metadata of `job` with the keys of `updates`; null when what is stored is no object and stays as it is. */
export function mergedMetadata(job: SqliteJobRecord, updates: string): string | null {
  const stored = job.readableMetadata;
  return stored === null ? null : mergeJsonObjects(stored, updates);
}

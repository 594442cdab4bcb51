// Brings the table in line with the folder: jobs for what is new, no rows for what is gone.
import type { Client } from "riverqueue";
import { enqueueFiles } from "./enqueue-files.ts";
import { findFiles } from "./find-files.ts";
import type { IndexDatabase } from "./index-database.ts";
import type { Failure } from "./index-report.ts";
import { showPath, showText } from "./stored-path.ts";

/** What a walk needs. */
export interface WalkParts {
  readonly client: Client;
  readonly database: IndexDatabase;
  /** Ends the walk. */
  readonly signal: AbortSignal;
  /** Told after each transaction which more jobs have files. */
  readonly onWaiting: (jobIds: readonly bigint[]) => void;
}

/** What a walk through the whole folder has met. */
export interface Walk {
  readonly found: number;
  /** Files that have a job now. */
  readonly waiting: number;
  /** Rows that went, because their files are gone. */
  readonly removed: number;
  /** What nobody could look at. */
  readonly unreadable: readonly Failure[];
}

/** Walks through a folder; null when the walk was ended early, and then nothing counts as gone. */
export async function walkFolder(folder: Buffer, parts: WalkParts): Promise<Walk | null> {
  const { client, database, signal, onWaiting } = parts;
  // Compared byte by byte: one character of this encoding is one byte.
  const own = new Set(database.ownFiles.map((path) => Buffer.from(path).toString("latin1")));
  const unreadable: { path: Buffer; error: Error }[] = [];
  const files = findFiles(folder, {
    isOwn: (path) => own.has(path.toString("latin1")),
    onUnreadable: (path, error) => unreadable.push({ path, error }),
    signal,
  });

  await database.write((_tx, table) => table.beginWalk());
  let found = 0;
  let waiting = 0;
  for await (const batch of enqueueFiles(client, database, files)) {
    found += batch.found;
    waiting += batch.jobIds.length;
    onWaiting(batch.jobIds);
  }
  if (signal.aborted) return null;
  const removed = await database.write(async (_tx, table) => {
    for (const { path } of unreadable) await table.noteUnknown(path);
    return await table.removeMissing(folder);
  });
  return { found, waiting, removed, unreadable: unreadable.map(({ path, error }) => toFailure(path, folder, error)) };
}

function toFailure(path: Buffer, folder: Buffer, error: Error): Failure {
  return { path: showPath(path, folder), reason: showText(error.message) };
}

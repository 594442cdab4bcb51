// Walks a folder. Yields regular files only, one at a time, and follows no links.
import type { BigIntStats, Dir, Dirent } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { joinPath } from "./stored-path.ts";
import { toTimeText } from "./time-text.ts";

/** A regular file, as it is now. */
export interface FoundFile {
  readonly path: Buffer;
  readonly size: bigint;
  /** ISO 8601, with nanoseconds. */
  readonly modifiedAt: string;
}

/** What of the folder is left out. */
export interface FindOptions {
  /** Files of our own. */
  readonly isOwn: (path: Buffer) => boolean;
  /** Told about every folder or file that the system does not let us look at. */
  readonly onUnreadable: (path: Buffer, error: Error) => void;
  /** Ends the walk. */
  readonly signal: AbortSignal;
}

const SKIPPED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Lists the files below `folder`, which is a real path. What vanishes meanwhile is passed over. */
export async function* findFiles(folder: Buffer, options: FindOptions): AsyncGenerator<FoundFile, void, undefined> {
  const folders = [folder];
  for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
    for await (const entry of entriesOf(current, options)) {
      if (options.signal.aborted) return;
      if (SKIPPED_NAMES.has(entry.name.toString())) continue;
      const path = joinPath(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || options.isOwn(path)) continue;
      const stats = await statsOf(path, options);
      // Looked at once more, because the entry may have been replaced since it was listed.
      if (stats?.isFile()) yield { path, size: stats.size, modifiedAt: toTimeText(stats.mtimeNs) };
    }
  }
}

async function* entriesOf(
  folder: Buffer,
  { onUnreadable }: FindOptions,
): AsyncGenerator<Dirent<Buffer>, void, undefined> {
  let entries: Dir;
  try {
    entries = await openFolder(folder);
  } catch (error) {
    if (!hasVanished(error)) onUnreadable(folder, error as Error);
    return;
  }
  try {
    // Read piece by piece, so that a folder of millions of files needs no more memory than a small one.
    for await (const entry of entries) yield entry as unknown as Dirent<Buffer>;
  } catch (error) {
    onUnreadable(folder, error as Error);
  }
}

/** The declarations of Node know this function for names that are text; it gives bytes as well. */
function openFolder(folder: Buffer): Promise<Dir> {
  return opendir(folder, { encoding: "buffer" as BufferEncoding, bufferSize: 256 });
}

async function statsOf(path: Buffer, { onUnreadable }: FindOptions): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (!hasVanished(error)) onUnreadable(path, error as Error);
    return undefined;
  }
}

/** Whether a path does not lead anywhere any more. */
export function hasVanished(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

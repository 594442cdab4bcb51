// Reads one file in a stream, so that its size does not matter, and finds out what the index keeps about it.
import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { hasVanished } from "./find-files.ts";
import { toTimeText } from "./time-text.ts";

/** What the index keeps about a file. */
export interface Measurement {
  readonly size: bigint;
  /** ISO 8601, with nanoseconds. */
  readonly modifiedAt: string;
  /** Line ends, and one more when the last line has none. */
  readonly lines: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Size of the content divided by its size under Zstandard; 1 for an empty file. */
  readonly compressionRatio: number;
}

// A link or a pipe that has taken the file's place is neither followed nor waited for. Windows knows neither flag.
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NEWLINE = 10;

/**
 * Reads a file from beginning to end.
 *
 * @returns null when there is no regular file under this path any more.
 * @throws what the system says about a file that cannot be read, and an error when it changes while it is being read:
 *   both are worth another try a moment later.
 */
export async function measureFile(path: Buffer, signal: AbortSignal): Promise<Measurement | null> {
  const handle = await open(path, READ_ONLY).catch((error: unknown) => {
    if (hasVanished(error)) return null;
    throw error;
  });
  if (handle === null) return null;
  await using file = handle;
  const before = await file.stat({ bigint: true });
  if (!before.isFile()) return null;

  const sha256 = createHash("sha256");
  let size = 0;
  let lines = 0;
  let last = NEWLINE;
  let compressed = 0;
  await pipeline(
    file.createReadStream({ autoClose: false }),
    async function* measure(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        size += chunk.length;
        // A file that grows as fast as it is read would never end.
        if (size > before.size) throw changedWhileRead();
        sha256.update(chunk);
        lines += countNewlines(chunk);
        last = chunk.at(-1) ?? last;
        yield chunk;
      }
    },
    createZstdCompress(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) compressed += chunk.length;
    },
    { signal },
  );
  if (isChanged(before, await file.stat({ bigint: true })) || BigInt(size) !== before.size) throw changedWhileRead();

  return {
    size: before.size,
    modifiedAt: toTimeText(before.mtimeNs),
    lines: last === NEWLINE ? lines : lines + 1,
    sha256: sha256.digest("hex"),
    compressionRatio: size === 0 ? 1 : size / compressed,
  };
}

function isChanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.size !== after.size || before.mtimeNs !== after.mtimeNs;
}

function changedWhileRead(): Error {
  return new Error("the file changed while it was being read");
}

function countNewlines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

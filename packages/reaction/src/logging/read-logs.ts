/** Reads log entries back by time. */
import { ValidationError } from "../model/validation-error.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import { decodeLogEntry, LOG_PREFIX, type LogEntry } from "./log-entry.ts";

/** Which entries to read. */
export interface LogRange {
  /** Logged at or after. */
  readonly from: Date;
  /** Logged before. */
  readonly to: Date;
  /** 1 to 1,000, default 100. */
  readonly limit?: number | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
}

/** Entries in the order they were logged, to the millisecond. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

/**
 * A page of entries. On Workers KV what was written within the last minute may be missing still.
 *
 * @throws ValidationError for a bad range, limit or cursor.
 */
export async function readLogs(store: KeyValueStore, range: LogRange): Promise<LogPage> {
  const { from, to, limit = 100 } = range;
  if (!(from.getTime() <= to.getTime())) throw new ValidationError("from must not be after to");
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new ValidationError("limit must be 1 to 1000");
  const first = LOG_PREFIX + from.toISOString();
  const end = LOG_PREFIX + to.toISOString();
  let cursor = range.cursor;
  for (;;) {
    const page = await store.list({ prefix: commonPrefix(first, end), start: first, limit, cursor });
    const wanted = page.entries.filter(({ key }) => key >= first && key < end);
    const passed = page.entries.some(({ key }) => key >= end);
    const values = await Promise.all(wanted.map(async ({ key, value }) => value ?? (await store.get(key))));
    const entries = values.map(readEntry).filter((entry) => entry !== null);
    const next = passed ? null : page.cursor;
    // A page of a store that cannot seek may hold nothing of the range.
    if (entries.length > 0 || next === null) return { entries, cursor: next };
    cursor = next;
  }
}

function readEntry(value: string | null): LogEntry | null {
  try {
    return value === null ? null : decodeLogEntry(JSON.parse(value));
  } catch {
    return null;
  }
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, Math.max(length, LOG_PREFIX.length));
}

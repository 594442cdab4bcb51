/** Reads log entries back by time. */
import { OptionProblems } from "../kit/option-problems.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import { decodeLogEntry, LOG_PREFIX, type LogEntry } from "./log-entry.ts";
import { timePrefixes } from "./time-prefixes.ts";

/** Which entries to read. */
export interface LogRange {
  /** Logged at or after. */
  readonly from: Date;
  /** Logged before. */
  readonly to: Date;
  /** 1 to 1,000, default 100. A store that hands over values one by one gives at most 500 a page. */
  readonly limit?: number | undefined;
  /** Where the page before ended; the range must be the same. */
  readonly cursor?: string | undefined;
}

/** Entries in the order they were logged, to the millisecond. */
export interface LogPage {
  /** Fewer than the limit, or none, also where more pages follow. */
  readonly entries: readonly LogEntry[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

const KNOWN = ["from", "to", "limit", "cursor"];
/** Workers KV allows 1,000 operations in one invocation, which has other work too: 500 reads and 200 lists are 700. */
const MOST_READS = 500;
const MOST_LISTS = 200;
/** Keys of one list, where listing costs the same however many there are. */
const KEYS_A_LIST = 1000;
/** Other years are written with a sign, and sort otherwise. */
const FIRST_MS = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Where reading goes on. */
interface Place {
  /** Number of the prefix that is listed. */
  readonly prefix: number;
  /** The store's cursor within it; null at its start. */
  readonly listed: string | null;
  /** Keys up to this one have been read. */
  readonly after: string;
}

interface Reading {
  /** The first key, and the one after the last. */
  readonly first: string;
  readonly end: string;
  readonly prefixes: readonly string[];
  /** Entries of a page at most. */
  readonly size: number;
  readonly keysAList: number;
}

interface FoundKey {
  readonly key: string;
  readonly value?: string | undefined;
}

/**
 * A page of entries. On Workers KV what was written within the last minute may be missing still.
 *
 * @throws ValidationError for a bad store, range, limit or cursor.
 */
export async function readLogs(store: KeyValueStore, range: LogRange): Promise<LogPage> {
  const { from, to, limit, cursor } = readRange(store, range);
  const first = LOG_PREFIX + isoTime(from);
  const end = LOG_PREFIX + isoTime(to);
  const seeks = store.seeks === true;
  const reading: Reading = {
    first,
    end,
    prefixes: seeks ? [LOG_PREFIX] : timePrefixes(isoTime(from), isoTime(to)).map((prefix) => LOG_PREFIX + prefix),
    size: seeks ? limit : Math.min(limit, MOST_READS),
    keysAList: seeks ? limit : KEYS_A_LIST,
  };
  const { found, next } = await findKeys(store, reading, readPlace(cursor, reading));
  const values = await Promise.all(found.map(async ({ key, value }) => value ?? (await store.get(key))));
  return {
    entries: values.map(readEntry).filter((entry) => entry !== null),
    cursor: next === null ? null : JSON.stringify([next.prefix, next.listed, next.after]),
  };
}

/** The keys of a page, and where the next one begins. */
async function findKeys(
  store: KeyValueStore,
  { first, end, prefixes, size, keysAList }: Reading,
  start: Place,
): Promise<{ readonly found: readonly FoundKey[]; readonly next: Place | null }> {
  const found: FoundKey[] = [];
  let { prefix: number, listed, after } = start;
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const prefix = prefixes[number];
    if (prefix === undefined) return { found, next: null };
    const page = await store.list({ prefix, start: first, limit: keysAList, cursor: listed ?? undefined });
    const wanted = page.entries.filter(({ key }) => key >= first && key < end && key > after);
    const taken = wanted.slice(0, size - found.length);
    found.push(...taken);
    if (taken.length < wanted.length) {
      return { found, next: { prefix: number, listed, after: taken.at(-1)?.key ?? after } };
    }
    if (page.entries.some(({ key }) => key >= end)) return { found, next: null };
    if (page.cursor === null) number++;
    listed = page.cursor;
    after = "";
    if (found.length === size) break;
  }
  return { found, next: number < prefixes.length ? { prefix: number, listed, after } : null };
}

function readRange(store: KeyValueStore, range: LogRange): LogRange & { readonly limit: number } {
  const problems = new OptionProblems();
  const { get, list } = (store ?? {}) as Partial<KeyValueStore>;
  if (typeof get !== "function" || typeof list !== "function")
    problems.add("store", "must have functions get and list");
  const given = problems.object(range, "range", KNOWN);
  for (const end of ["from", "to"]) problems.date(given[end], `range.${end}`);
  const limit = problems.integer(given["limit"], "range.limit", 100, { min: 1, max: 1000 });
  if (given["cursor"] !== undefined && typeof given["cursor"] !== "string")
    problems.add("range.cursor", "must be text");
  problems.throwValidation();
  if (range.from.getTime() > range.to.getTime()) problems.add("range.from", "must not be after range.to");
  problems.throwValidation();
  return { ...range, limit };
}

function isoTime(time: Date): string {
  return new Date(Math.min(Math.max(time.getTime(), FIRST_MS), LAST_MS)).toISOString();
}

function readPlace(cursor: string | undefined, { prefixes }: Reading): Place {
  if (cursor === undefined) return { prefix: 0, listed: null, after: "" };
  const [prefix, listed, after] = readList(cursor);
  const problems = new OptionProblems();
  const fits =
    Number.isInteger(prefix) &&
    prefixes[prefix as number] !== undefined &&
    (listed === null || typeof listed === "string") &&
    typeof after === "string";
  if (!fits) problems.add("range.cursor", "must be the one of the page before, of the same range");
  problems.throwValidation();
  return { prefix, listed, after } as Place;
}

function readList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function readEntry(value: string | null): LogEntry | null {
  try {
    return value === null ? null : decodeLogEntry(JSON.parse(value));
  } catch {
    return null;
  }
}

// Reading log entries back from a store that lists by prefix, as Workers KV does. That it does so for real is tested there.
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { type KeyValueStore, type LogEntry, readLogs } from "@riverqueue/reaction";
import { timePrefixes } from "../src/logging/time-prefixes.ts";

failOnLeaks();

/** Operations of KV that one invocation may make. */
const OPERATIONS = 1000;

/** Keys in order, listed by prefix alone and with values read one by one; counts what is asked of it. */
class PrefixStore implements KeyValueStore {
  lists = 0;
  gets = 0;
  readonly #times: readonly string[];

  constructor(times: readonly number[]) {
    this.#times = times.map((at) => new Date(at).toISOString());
  }

  get(key: string): Promise<string> {
    this.gets++;
    const entry = { id: "id", time: key.slice(4, 28), level: "info", message: key, attributes: {} };
    return Promise.resolve(JSON.stringify(entry));
  }

  list({ prefix, limit, cursor }: Parameters<KeyValueStore["list"]>[0]): ReturnType<KeyValueStore["list"]> {
    this.lists++;
    assert.ok(limit <= 1000, "KV lists at most 1,000 keys");
    const begin = cursor === undefined ? this.#from(prefix.slice(4)) : Number(cursor);
    const entries = [];
    let index = begin;
    for (; index < this.#times.length && entries.length < limit && this.#has(index, prefix); index++) {
      entries.push({ key: this.#key(index) });
    }
    return Promise.resolve({ entries, cursor: this.#has(index, prefix) ? String(index) : null });
  }

  put(): Promise<void> {
    throw new Error("nothing is written");
  }

  delete(): Promise<void> {
    throw new Error("nothing is deleted");
  }

  deleteExpired(): Promise<number> {
    return Promise.resolve(0);
  }

  #key(index: number): string {
    return `log/${this.#times[index]}/id`;
  }

  #has(index: number, prefix: string): boolean {
    return index < this.#times.length && this.#key(index).startsWith(prefix);
  }

  /** The first time that is not before the text. */
  #from(text: string): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? "") < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** All entries of the range; each page within what one invocation may do. */
async function readAll(store: PrefixStore, from: string, to: string, limit?: number): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  let cursor: string | undefined;
  do {
    [store.lists, store.gets] = [0, 0];
    const page = await readLogs(store, { from: new Date(from), to: new Date(to), limit, cursor });
    assert.ok(
      store.lists + store.gets <= OPERATIONS * 0.7,
      `${store.lists} lists and ${store.gets} reads for one page`,
    );
    assert.ok(page.entries.length <= (limit ?? 100));
    entries.push(...page.entries);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return entries;
}

const end = Date.parse("2026-04-01T00:30:00Z");
const month = new PrefixStore(
  Array.from({ length: 30 * 86_400 + 1 }, (_, index) => end - (30 * 86_400 - index) * 1000),
);

for (const [what, from, to] of [
  ["an hour", "2026-03-20T14:30:00Z", "2026-03-20T15:30:00Z"],
  ["an hour over midnight", "2026-03-20T23:30:00Z", "2026-03-21T00:30:00Z"],
  ["an hour over the end of a month", "2026-03-31T23:30:00Z", "2026-04-01T00:30:00Z"],
] as const) {
  test(`the first page of ${what} takes few lists, however much is logged before it`, async () => {
    [month.lists, month.gets] = [0, 0];
    const { entries } = await readLogs(month, { from: new Date(from), to: new Date(to) });
    assert.deepEqual([entries.length, entries[0]?.time.toISOString()], [100, new Date(from).toISOString()]);
    assert.ok(month.lists <= 3, `${month.lists} lists`);
    const all = await readAll(month, from, to, 1000);
    assert.deepEqual(
      all.map(({ time }) => time.getTime()),
      Array.from({ length: 3600 }, (_, index) => Date.parse(from) + index * 1000),
    );
  });
}

test("more entries in one minute than one list brings are read page by page, each once", async () => {
  const at = Date.parse("2026-03-01T12:00:30.000Z");
  const store = new PrefixStore(Array.from({ length: 2500 }, (_, index) => at + index * 10));
  const entries = await readAll(store, "2026-03-01T12:00:35Z", "2026-03-01T12:00:54Z", 300);
  assert.equal(entries.length, 1900);
  assert.equal(new Set(entries.map(({ message }) => message)).size, 1900);
});

test("a range of all times with next to nothing in it is read within one page", async () => {
  const store = new PrefixStore([Date.parse("2026-03-01T12:00:00Z")]);
  const { entries, cursor } = await readLogs(store, { from: new Date(-8.64e15), to: new Date(8.64e15) });
  assert.deepEqual([entries.length, cursor], [1, null]);
});

test("a page ends after so many lists, with a cursor to go on from, also when it has found nothing", async () => {
  const store = new PrefixStore([]);
  let left = 450;
  store.list = () => {
    store.lists++;
    return Promise.resolve({ entries: [], cursor: --left > 0 ? String(left) : null });
  };
  const range = { from: new Date("2026-03-20T14:30:00Z"), to: new Date("2026-03-20T14:30:01Z") };
  const first = await readLogs(store, range);
  assert.deepEqual([first.entries, store.lists, first.cursor !== null], [[], 200, true]);
  const second = await readLogs(store, { ...range, cursor: first.cursor ?? "" });
  const third = await readLogs(store, { ...range, cursor: second.cursor ?? "" });
  assert.deepEqual([third.cursor, store.lists], [null, 450]);
});

test("a cursor of another range, or none at all, is refused", async () => {
  const range = { from: new Date("2026-03-20T14:30:00Z"), to: new Date("2026-03-20T15:30:00Z") };
  for (const cursor of ["", "x", "7", "[]", '[99,null,""]', '[0,5,""]', "[0,null,null]", '[-1,null,""]']) {
    await assert.rejects(readLogs(month, { ...range, cursor }), { code: "validation", message: /^range\.cursor must/ });
  }
});

test("every time of a range begins with exactly one of its prefixes, and they ascend", () => {
  const time = fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
  const near = fc
    .tuple(time, fc.integer({ min: 0, max: 90 * 86_400_000 }))
    .map(([at, ms]) => [at, new Date(Math.min(at.getTime() + ms, Date.parse("9999-12-31T23:59:59.999Z")))] as const);
  fc.assert(
    fc.property(fc.oneof(near, fc.tuple(time, time)), fc.double({ min: 0, max: 1, noNaN: true }), ([a, b], part) => {
      const [from, to] = a <= b ? [a, b] : [b, a];
      const prefixes = timePrefixes(from.toISOString(), to.toISOString());
      const at = new Date(from.getTime() + Math.floor(part * (to.getTime() - from.getTime()))).toISOString();
      if (at < to.toISOString()) assert.equal(prefixes.filter((prefix) => at.startsWith(prefix)).length, 1);
      assert.deepEqual(prefixes, prefixes.toSorted());
      assert.ok(prefixes.length <= 100);
    }),
    { numRuns: 2000 },
  );
});

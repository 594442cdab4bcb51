/** Unique jobs: the same bytes of key and the same conflicts, whoever comes first. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS, type PeerJobSpec, type PeerSide, type UniqueSpec } from "../src/peer-values.ts";

failOnLeaks();

interface UniqueCase {
  readonly unique: UniqueSpec;
  readonly first: Partial<PeerJobSpec>;
  /** The same to both sides. */
  readonly same: Partial<PeerJobSpec>;
  /** Different to both sides. */
  readonly different: Partial<PeerJobSpec>;
}

const DAY = 86_400_000;
const REQUIRED = ["available", "pending", "running", "scheduled"] as const;

const CASES: Readonly<Record<string, UniqueCase>> = {
  "byArgs, all, in another order": {
    unique: { byArgs: true },
    first: { args: { b: "<&>\u2028", a: { y: 1, x: [1, 2] }, ž: 1, "10": 2, "9": 3 } },
    same: { args: { ž: 1, a: { y: 1, x: [1, 2] }, b: "<&>\u2028", "10": 2, "9": 3 } },
    different: { args: { b: "<&>\u2028", a: { x: [1, 2], y: 1 }, ž: 1, "10": 2, "9": 3 } },
  },
  "byArgs, none given": { unique: { byArgs: true }, first: {}, same: { args: {} }, different: { args: { a: null } } },
  "byArgs, fields of a flat type": {
    unique: { byArgs: ["to", "amount"] },
    first: { tagged: "flat", args: { to: "<x>", amount: 9_007_199_254_740_991, comment: "one" } },
    same: { tagged: "flat", args: { to: "<x>", amount: 9_007_199_254_740_991, comment: "two" } },
    different: { tagged: "flat", args: { to: "<x>", amount: 1, comment: "one" } },
  },
  "byArgs, fields of nested types, one of them absent": {
    unique: { byArgs: ["name", "note", "address.city", "second.street"] },
    first: {
      tagged: "nested",
      args: { address: { city: "Oslo", zip: "1" }, second: { street: "A", number: 1 }, name: "n" },
    },
    same: {
      tagged: "nested",
      args: { address: { city: "Oslo", zip: "2" }, second: { street: "A", number: 2 }, name: "n" },
    },
    different: {
      tagged: "nested",
      args: { address: { city: "Oslo", zip: "1" }, second: { street: "A", number: 1 }, name: "n", note: "x" },
    },
  },
  "byArgs, a field that is null on the way": {
    unique: { byArgs: ["name", "note", "address.city", "second.street"] },
    first: { tagged: "nested", args: { address: { city: "Oslo", zip: "1" }, second: null, name: "n" } },
    same: { tagged: "nested", args: { address: { city: "Oslo", zip: "2" }, second: null, name: "n" } },
    different: { tagged: "nested", args: { address: { city: "Rome", zip: "1" }, second: null, name: "n" } },
  },
  "byArgs, whole values of fields": {
    unique: { byArgs: ["place", "list", "map"] },
    first: { tagged: "whole", args: { place: { z: 1, a: "x" }, list: ["b", "a"], map: { a: 1, b: 2 }, other: 1 } },
    same: { tagged: "whole", args: { place: { z: 1, a: "x" }, list: ["b", "a"], map: { a: 1, b: 2 }, other: 2 } },
    different: { tagged: "whole", args: { place: { z: 1, a: "x" }, list: ["a", "b"], map: { a: 1, b: 2 }, other: 1 } },
  },
  "byArgs, fields whose names look like paths": {
    unique: { byArgs: ["a0", "a\\.b", "c\\*", ":d", "a.x\\.y"] },
    first: { tagged: "dotted", args: { "a.b": 1, a0: 2, "c*": 3, ":d": 4, a: { "x.y": 5 } } },
    same: { tagged: "dotted", args: { "a.b": 1, a0: 2, "c*": 3, ":d": 4, a: { "x.y": 5 } } },
    different: { tagged: "dotted", args: { "a.b": 9, a0: 2, "c*": 3, ":d": 4, a: { "x.y": 5 } } },
  },
  "byPeriod, one hour": {
    unique: { byPeriodMs: DAY / 24 },
    first: { scheduledAt: "2031-05-01T12:00:00Z" },
    same: { scheduledAt: "2031-05-01T12:59:59.999Z" },
    different: { scheduledAt: "2031-05-01T13:00:00Z" },
  },
  "byPeriod, a week, which begins on Monday": {
    unique: { byPeriodMs: 7 * DAY },
    first: { scheduledAt: "2024-04-29T00:00:00Z" },
    same: { scheduledAt: "2024-05-05T23:59:59Z" },
    different: { scheduledAt: "2024-05-06T00:00:00Z" },
  },
  "byPeriod, seven hours, also before 1970": {
    unique: { byPeriodMs: (7 * DAY) / 24 },
    first: { scheduledAt: "1960-02-29T07:00:00Z" },
    same: { scheduledAt: "1960-02-29T12:34:56Z" },
    different: { scheduledAt: "1960-02-29T06:59:59Z" },
  },
  "byPeriod, now": {
    unique: { byPeriodMs: 100_000 * DAY },
    first: {},
    same: {},
    different: { scheduledAt: "2600-01-01T00:00:00Z" },
  },
  byQueue: {
    unique: { byQueue: true },
    first: { queue: "q-1", args: { a: 1 } },
    same: { queue: "q-1", args: { a: 2 } },
    different: { queue: "q-2", args: { a: 1 } },
  },
  "byState alone": {
    unique: { byState: [...REQUIRED, "retryable"] },
    first: { args: { a: 1 } },
    same: { args: { a: 2 } },
    different: { kind: "other" },
  },
  "byState empty": { unique: { byState: [] }, first: {}, same: { priority: 3 }, different: { kind: "other" } },
  "excludeKind with byArgs": {
    unique: { byArgs: true, excludeKind: true },
    first: { args: { a: 1 } },
    same: { kind: "other", args: { a: 1 } },
    different: { args: { a: 2 } },
  },
  "excludeKind with byQueue and byState": {
    unique: { byQueue: true, excludeKind: true, byState: [...REQUIRED, "cancelled", "discarded", "completed"] },
    first: { queue: "q-1" },
    same: { kind: "other", queue: "q-1" },
    different: { queue: "q-2" },
  },
  everything: {
    unique: { byArgs: true, byPeriodMs: DAY, byQueue: true, byState: [...REQUIRED, "completed", "retryable"] },
    first: { args: { a: 1 }, queue: "q", scheduledAt: "2031-05-01T12:00:00Z" },
    same: { args: { a: 1 }, queue: "q", scheduledAt: "2031-05-01T00:00:00Z", priority: 2, tags: ["tag"] },
    different: { args: { a: 1 }, queue: "q", scheduledAt: "2031-05-02T00:00:00Z" },
  },
};

/** Go has the compared fields in the type of the arguments, and we name them. */
function jobFor(side: PeerSide, kind: string, spec: Partial<PeerJobSpec>, unique: UniqueSpec): PeerJobSpec {
  const { tagged, ...rest } = spec;
  return { kind, ...rest, ...(side === "go" && tagged !== undefined && { tagged }), unique };
}

for (const [from, to] of DIRECTIONS) {
  interopTest(`what ${from} has inserted is a duplicate to ${to}, by every unique option`, async (_, { peer }) => {
    const [first, second] = [await peer(from), await peer(to)];
    await Promise.all([first.open(), second.open()]);
    for (const [index, [name, { unique, first: held, same, different }]] of Object.entries(CASES).entries()) {
      const kind = `kind_${index}`;
      const holder = await first.insert(jobFor(from, kind, held, unique));
      const again = await second.insert(jobFor(to, kind, same, unique));
      assert.equal(holder.duplicate, false, name);
      assert.equal(again.duplicate, true, name);
      assert.equal(again.job.id, holder.job.id, name);
      assert.equal(again.job.kind, holder.job.kind, `${name}: the holder's kind stays`);
      const other = await second.insert(jobFor(to, kind, different, unique));
      assert.equal(other.duplicate, false, name);
      const back = await first.insert(jobFor(from, kind, different, unique));
      assert.equal(back.duplicate, true, `${name}, back`);
      assert.equal(back.job.id, other.job.id, `${name}, back`);
      // A row that is out of the way shows the key that the other side makes of the same job.
      await first.call("delete", { id: holder.job.id });
      const remade = await second.insert(jobFor(to, kind, same, unique));
      assert.equal(remade.job.uniqueKey, holder.job.uniqueKey, `${name}: the bytes of the key`);
      assert.deepEqual(remade.job.uniqueStates, holder.job.uniqueStates, name);
      await second.call("deleteMany", { ids: [Number(remade.job.id), Number(other.job.id)] });
    }
  });

  interopTest(`a batch of ${to} with what ${from} holds between new jobs`, async (_, { peer }) => {
    const [first, second] = [await peer(from), await peer(to)];
    await Promise.all([first.open(), second.open()]);
    const unique = { byArgs: true };
    const { job } = await first.insert({ kind: "task", args: { n: 2 }, unique });
    const results = await second.insertMany([1, 2, 3].map((n) => ({ kind: "task", args: { n }, unique })));
    assert.deepEqual(
      results.map(({ duplicate }) => duplicate),
      [false, true, false],
    );
    assert.equal(results[1]?.job.id, job.id);
  });
}

interopTest("both sides refuse the same unique options", async (_, { peer, query }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  const refused: readonly [UniqueSpec, RegExp, RegExp][] = [
    [{ excludeKind: true }, /unique\.excludeKind/, /ExcludeKind requires ByArgs, ByQueue, or ByPeriod/],
    [{ byPeriodMs: 999 }, /should not be less than 1 second/, /should not be less than 1 second/],
    [{ byState: ["available"] }, /missing: pending, running, scheduled/, /missing: pending, running, scheduled/],
    [{ byState: [...REQUIRED, "lost" as never] }, /invalid state "lost"/, /invalid state "lost"/],
  ];
  for (const [unique, ourWords, goWords] of refused) {
    await assert.rejects(ours.insert({ kind: "task", unique }), ourWords);
    await assert.rejects(go.insert({ kind: "task", unique }), goWords);
  }
  assert.deepEqual(await query("SELECT id FROM river_job"), []);
});

import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { InsertFaults } from "../../src/definition/insert-faults.ts";
import { readInsertOptions } from "../../src/definition/read-insert-options.ts";
import { resolveInsertOptions } from "../../src/insert/resolve-insert-options.ts";

function level(options: unknown) {
  const faults = new InsertFaults();
  const read = readInsertOptions(faults, options, "");
  faults.throwValidation();
  return read;
}

test("without any level River's defaults hold", () => {
  const { tags, metadata, ...rest } = resolveInsertOptions([]);
  assert.deepEqual(rest, {
    queue: "default",
    priority: 1,
    maxAttempts: 25,
    scheduledAt: null,
    delay: null,
    pending: false,
    unique: null,
    durability: "default",
  });
  assert.deepEqual(tags, []);
  assert.deepEqual(Object.keys(metadata), []);
});

test("metadata and tags are taken whole, never merged", () => {
  const resolved = resolveInsertOptions([
    level({ metadata: { a: 1 }, tags: [] }),
    level({ metadata: { b: 2 }, tags: ["one-tag"] }),
  ]);
  assert.deepEqual({ ...resolved.metadata }, { a: 1 });
  assert.deepEqual(resolved.tags, []);
});

test("pending: false and unique without comparisons override what is further away", () => {
  const defaults = level({ pending: true, unique: { byArgs: true } });
  for (const unique of [{}, { byArgs: false }, { excludeKind: false }, { byPeriod: { seconds: 0 } }]) {
    const resolved = resolveInsertOptions([level({ pending: false, unique }), defaults]);
    assert.equal(resolved.pending, false);
    assert.equal(resolved.unique, null);
  }
});

test("time and delay override each other across levels", () => {
  const at = level({ scheduledAt: new Date(0) });
  const after = level({ delay: { seconds: 5 } });
  const byDelay = resolveInsertOptions([after, at]);
  assert.equal(byDelay.scheduledAt, null);
  assert.equal(byDelay.delay?.toString(), "PT5S");
  const byTime = resolveInsertOptions([at, after]);
  assert.equal(byTime.scheduledAt?.toString(), "1970-01-01T00:00:00Z");
  assert.equal(byTime.delay, null);
});

test("for every option the first level that gives it wins", () => {
  const options = fc.record(
    {
      queue: fc.constantFrom("one", "two", undefined),
      priority: fc.constantFrom(1, 2, 3, 4, undefined),
      maxAttempts: fc.constantFrom(1, 32_767, undefined),
      tags: fc.constantFrom(["one-tag"], [], undefined),
      metadata: fc.constantFrom({ a: 1 }, { b: 2 }, undefined),
      pending: fc.constantFrom(true, false, undefined),
      unique: fc.constantFrom({ byArgs: true }, { byQueue: true }, {}, undefined),
      durability: fc.constantFrom("relaxed", "default", undefined),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(options, options, options, (call, definition, client) => {
      const levels = [level(call), level(definition), level(client)];
      const resolved: Record<string, unknown> = { ...resolveInsertOptions(levels) };
      for (const name of [
        "queue",
        "priority",
        "maxAttempts",
        "tags",
        "metadata",
        "pending",
        "unique",
        "durability",
      ] as const) {
        const giving = levels.find((each) => each[name] !== undefined);
        const defaults: Record<string, unknown> = { ...resolveInsertOptions([]) };
        assert.equal(resolved[name], giving === undefined ? defaults[name] : giving[name]);
      }
    }),
  );
});

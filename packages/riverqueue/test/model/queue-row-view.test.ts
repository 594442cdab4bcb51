import assert from "node:assert/strict";
import test from "node:test";
import { inspect } from "node:util";
import { queueRowOf } from "../../src/model/queue-row-view.ts";

test("a queue row has parsed metadata, is frozen and prints its times", () => {
  const at = Temporal.Instant.from("2024-05-01T12:00:00.123Z");
  const row = queueRowOf({
    name: "mail",
    metadata: '{"a":1}',
    createdAt: at,
    updatedAt: at,
    pausedAt: null,
    isPaused: false,
  });
  assert.deepEqual(Object.keys(row), ["name", "metadata", "createdAt", "updatedAt", "pausedAt"]);
  assert.equal(row.metadata["a"], 1);
  assert.equal(row.createdAt, at);
  assert.throws(() => Object.assign(row, { name: "x" }), TypeError);
  assert.match(inspect(row), /createdAt: '2024-05-01T12:00:00.123Z'/);
  assert.match(
    inspect(queueRowOf({ ...row, metadata: "{}", pausedAt: at, isPaused: true })),
    /pausedAt: '2024-05-01T12:00:00.123Z'/,
  );
});

test("a column that cannot be read throws when it is looked at, and leaves the others and printing alone", () => {
  const at = Temporal.Instant.from("2024-05-01T12:00:00Z");
  const damaged = new RangeError("river_queue.updated_at cannot be read");
  const row = queueRowOf({
    name: "mail",
    metadata: "{}",
    createdAt: at,
    get updatedAt(): Temporal.Instant {
      throw damaged;
    },
    pausedAt: null,
    isPaused: false,
  });
  assert.equal(row.name, "mail");
  assert.equal(row.createdAt, at);
  assert.throws(() => row.updatedAt, damaged);
  assert.match(inspect(row), /name: 'mail'.*updatedAt: .*cannot be read/s);
});

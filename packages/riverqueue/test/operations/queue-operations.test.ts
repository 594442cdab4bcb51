import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import type { QueueListResult } from "../../src/api/queue-operations.ts";
import { openOperations } from "./testdata/sqlite-operations.ts";

failOnLeaks();

function names({ queues }: QueueListResult): string[] {
  return queues.map(({ name }) => name);
}

test("queues are read by name and listed by pages", async (t) => {
  const { queues, driver, clock } = await openOperations(t);
  for (const name of ["b", "a", "c"]) await driver.queues.keepAlive({ name }, { now: clock.now() });
  const now = clock.now().toString();
  assert.deepEqual(plain(await queues.get("a")), {
    name: "a",
    metadata: {},
    createdAt: now,
    updatedAt: now,
    pausedAt: null,
  });
  assert.equal(await queues.get("d"), null);
  assert.equal(await queues.get("*"), null);
  const first = await queues.list({ limit: 2 });
  assert.deepEqual(names(first), ["a", "b"]);
  const second = await queues.list({ limit: 2, after: first.nextCursor ?? "" });
  assert.deepEqual([names(second), second.nextCursor], [["c"], null]);
  assert.deepEqual(names(await queues.list()), ["a", "b", "c"]);
});

test("pause and resume change one queue or all, and tell every client", async (t) => {
  const { queues, driver, clock, database } = await openOperations(t);
  for (const name of ["a", "b"]) await driver.queues.keepAlive({ name }, { now: clock.now() });
  await clock.advance(1_000);
  const paused = await queues.pause("a");
  assert.equal(String(paused?.pausedAt), clock.now().toString());
  await clock.advance(1_000);
  assert.deepEqual(plain(await queues.pause("a")), plain(paused));
  assert.equal((await queues.resume("a"))?.pausedAt, null);
  assert.equal(await queues.pause("missing"), null);
  assert.equal(await queues.resume("missing"), null);
  assert.equal(await queues.pause("*"), null);
  assert.ok((await queues.list()).queues.every(({ pausedAt }) => pausedAt !== null));
  assert.equal(await queues.resume("*"), null);
  assert.ok((await queues.list()).queues.every(({ pausedAt }) => pausedAt === null));
  const notices = database.prepare("SELECT payload FROM river_notification ORDER BY id").all();
  assert.deepEqual(
    notices.map(({ payload }) => payload),
    ["pause a", "pause a", "resume a", "pause *", "resume *"].map((text) => {
      const [action, queue] = text.split(" ");
      return `{"action":"${action}","queue":"${queue}"}`;
    }),
  );
});

test("update replaces the metadata as a whole and announces only new metadata", async (t) => {
  const { queues, driver, clock, database } = await openOperations(t);
  await driver.queues.keepAlive({ name: "a" }, { now: clock.now() });
  await queues.update("a", { metadata: { first: 1 } });
  await clock.advance(1_000);
  const updated = await queues.update("a", { metadata: { second: { deep: true } } });
  assert.deepEqual(plain(updated?.metadata), { second: { deep: true } });
  assert.equal(String(updated?.updatedAt), clock.now().toString());
  await clock.advance(1_000);
  const touched = await queues.update("a", {});
  assert.deepEqual(plain(touched?.metadata), { second: { deep: true } });
  assert.equal(String(touched?.updatedAt), clock.now().toString());
  assert.equal(await queues.update("missing", { metadata: {} }), null);
  assert.equal(await queues.update("*", { metadata: {} }), null);
  const notices = database.prepare("SELECT payload FROM river_notification ORDER BY id").all();
  assert.deepEqual(
    notices.map(({ payload }) => payload),
    [
      '{"action":"metadata_changed","metadata":{"first":1},"queue":"a"}',
      '{"action":"metadata_changed","metadata":{"second":{"deep":true}},"queue":"a"}',
    ],
  );
});

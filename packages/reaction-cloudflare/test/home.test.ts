import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { failOnLeaks, spawnNode } from "@riverqueue/internal-test-kit";
import { newEvent } from "@riverqueue/internal-test-kit/reaction/store-values";
import { bundleWorker } from "@riverqueue/internal-test-kit/worker-project";
import { createReaction, defineQueue, readLogs } from "@riverqueue/reaction";
import {
  type CloudflareBindings,
  type CloudflareHome,
  createCloudflareHome,
  createQueueSender,
  createWorker,
  type D1Binding,
} from "@riverqueue/reaction-cloudflare";
import { TestWorker } from "./testdata/test-worker.ts";
import type { TestEnv } from "./testdata/worker/worker.ts";

const startWorker = TestWorker.forFile();
failOnLeaks();

test("a home names every binding and variable that is missing", () => {
  assert.throws(
    () => createCloudflareHome({} as CloudflareBindings),
    (error: Error & { code: string }) => {
      assert.equal(error.code, "configuration");
      for (const name of ["ASYNC_POLICY_TASK_QUEUE", "ASYNC_LOGGER_QUEUE", "ANALYTICS_QUEUE"]) {
        assert.ok(error.message.includes(`bindings.${name} `), name);
        assert.ok(error.message.includes(`bindings.${name}_NAME `), name);
      }
      for (const name of ["REACTION_DB", "ANALYTICS_DB", "REACTION_KV"]) {
        assert.ok(error.message.includes(`bindings.${name} `), name);
      }
      return true;
    },
  );
  assert.throws(
    () => createCloudflareHome({} as CloudflareBindings, { noww: 1 } as never),
    /options\.noww.*did you mean now/,
  );
});

/** A home of bindings that nothing is asked of. */
function idleHome(): CloudflareHome {
  const binding = { sendBatch() {}, batch() {}, put() {} };
  const bindings = ["ASYNC_POLICY_TASK_QUEUE", "ASYNC_LOGGER_QUEUE", "ANALYTICS_QUEUE"].flatMap((name) => [
    [name, binding],
    [`${name}_NAME`, name.toLowerCase()],
  ]);
  const databases = ["REACTION_DB", "ANALYTICS_DB", "REACTION_KV"].map((name) => [name, binding]);
  return createCloudflareHome(Object.fromEntries([...bindings, ...databases]) as CloudflareBindings);
}

test("a Worker names everything that is wrong with its options", () => {
  assert.throws(
    () => createWorker({ reacton: 1, fetch: 2, scheduled: 3, queues: [{ name: "x" }] } as never),
    (error: Error & { code: string }) => {
      assert.equal(error.code, "configuration");
      assert.match(error.message, /options\.reacton .*did you mean reaction/);
      for (const name of ["reaction", "fetch", "queues", "scheduled"]) {
        assert.ok(error.message.includes(`options.${name} must`), name);
      }
      return true;
    },
  );
  const reaction = createReaction({ ...idleHome(), policies: [] });
  assert.throws(() => createWorker({ reaction, logging: { lvl: "info", flushSize: 0 } } as never), {
    code: "configuration",
    message: /options\.logging\.lvl is not an option.*options\.logging is refused: options\.flushSize must/,
  });
});

test("RX-06: no two queues of a Worker have one actual name", () => {
  const reaction = createReaction({ ...idleHome(), policies: [] });
  const own = defineQueue({ name: "analytics_queue".replace("_", "-"), consume() {} });
  assert.ok(createWorker({ reaction, queues: [...reaction.queues, own] }), "those of the reaction may be named again");
  const twice = { definition: own, actualName: "analytics_queue" };
  for (const queues of [[own, own], [twice]]) {
    assert.throws(() => createWorker({ reaction, queues }), { code: "configuration", message: /is used twice/ });
  }
});

test("what D1 refuses for its size is told from other failures", async (t) => {
  const worker = await startWorker(t);
  const { store } = createCloudflareHome(await worker.miniflare.getBindings<TestEnv>());
  const { commands } = newEvent();
  const huge = {
    ...newEvent(),
    commands: commands.map((command) => ({ ...command, input: `"${"x".repeat(2_500_000)}"` })),
  };
  await assert.rejects(store.createEvent(huge), { code: "content" });
  assert.deepEqual(await worker.rows("select id from river_reaction_event"), [], "nothing of the event was written");
});

test("a bad delay is refused before anything is sent", async () => {
  let sends = 0;
  const sender = createQueueSender({ sendBatch: () => Promise.resolve(sends++) });
  for (const delay of [{ days: 2 }, { seconds: -1 }, "5s"]) {
    await assert.rejects(sender.send([{ body: 1 }, { body: 2, delay: delay as never }]), { code: "validation" });
  }
  assert.equal(sends, 0);
});

test("KV keeps entries in the order of their keys, and pages through them", async (t) => {
  const worker = await startWorker(t);
  const { keyValue, store } = createCloudflareHome(await worker.miniflare.getBindings<TestEnv>());
  for (const name of ["c", "a", "b"]) await keyValue.put(`list/${name}`, name, { expiresInSeconds: 1 });
  assert.equal(await keyValue.get("list/a"), "a");
  assert.equal(await keyValue.get("list/x"), null);
  const first = await keyValue.list({ prefix: "list/", limit: 2 });
  assert.deepEqual(first.entries, [{ key: "list/a" }, { key: "list/b" }]);
  const second = await keyValue.list({ prefix: "list/", limit: 2, cursor: first.cursor ?? "" });
  assert.deepEqual([second.entries, second.cursor], [[{ key: "list/c" }], null]);
  await keyValue.delete("list/a");
  assert.equal(await keyValue.get("list/a"), null);
  assert.equal(await keyValue.deleteExpired(10), 0);

  const inTransaction = store.createEvent(newEvent(), { tx: {} as never });
  await assert.rejects(inTransaction, { code: "validation" }, "there is no transaction to join");
});

test("log entries are read back from KV page by page, over the end of a month", async (t) => {
  const worker = await startWorker(t);
  const { keyValue } = createCloudflareHome(await worker.miniflare.getBindings<TestEnv>());
  const begin = Date.parse("2026-03-31T23:58:30.000Z");
  const times = Array.from({ length: 20 }, (_, index) => new Date(begin + index * 10_000).toISOString());
  for (const time of times.toReversed()) {
    const entry = { id: "1", time, level: "info", message: time, attributes: {} };
    await keyValue.put(`log/${time}/1`, JSON.stringify(entry));
  }
  const range = { from: new Date(times[2] ?? ""), to: new Date(times[17] ?? ""), limit: 4 };
  const read: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await readLogs(keyValue, { ...range, cursor });
    read.push(...page.entries.map(({ message }) => message));
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(read, times.slice(2, 17));
});

test("a sweep of D1 reads no event whose content is gone already", async (t) => {
  const worker = await startWorker(t);
  await worker.rows(`with recursive c (n) as (select 1 union all select n + 1 from c where n < 5000)
    insert into river_reaction_event (id, type, idempotency_key, version, payload, payload_hash, status, open_commands,
    occurred_at, created_at, finished_at)
    select 'e' || n, 'order.paid', 'k' || n, 1, case n when 5000 then '{}' end, 'h', 'completed', 0, 1, 1, n from c`);
  const bindings = await worker.miniflare.getBindings<TestEnv>();
  let rowsRead = 0;
  const database: D1Binding = {
    prepare: (text) => bindings.REACTION_DB.prepare(text),
    async batch(statements) {
      const results = await bindings.REACTION_DB.batch(statements);
      for (const { meta } of results as { meta: { rows_read: number } }[]) rowsRead += meta.rows_read;
      return results;
    },
  };
  const { store } = createCloudflareHome({ ...bindings, REACTION_DB: database });
  const days = 90 * 86_400_000;
  const swept = await store.applyRetention({
    contentAfterMs: days,
    keysAfterMs: null,
    alertsAfterMs: days,
    limit: 100,
  });
  assert.equal(swept, 1);
  assert.ok(rowsRead > 0 && rowsRead < 50, `${rowsRead} rows were read`);
});

test("RX-29, RX-32: requests without a route, and batches without a queue, still end well", async (t) => {
  const worker = await startWorker(t);
  const { status } = await worker.miniflare.dispatchFetch("http://test/nowhere");
  assert.equal(status, 404);
  await worker.sweep();
  assert.deepEqual((await worker.trace()).alerts, []);
});

test("a Worker is made of web-standard APIs alone", async () => {
  const text = await bundleWorker(join(import.meta.dirname, "testdata/standards-only.ts"));
  assert.ok(text.length > 10_000);
  assert.deepEqual([...text.matchAll(/^import .*$/gm)], []);
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
  for (const foreign of [/["']node:/, /\bTemporal\./, /\bprocess\./, /\bBuffer\b/, /\brequire\(/]) {
    assert.doesNotMatch(code, foreign);
  }
});

test("the migrations for D1 are those of line reaction", async (t) => {
  const script = join(import.meta.dirname, "../../../scripts/d1/write-migrations.ts");
  const { code } = await spawnNode(t, script, ["--check"]).exit();
  assert.equal(code, 0);
});

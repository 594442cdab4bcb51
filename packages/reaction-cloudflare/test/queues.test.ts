import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { LAST_DELIVERY_RULES, QUEUE_RULES } from "@riverqueue/internal-test-kit/reaction/queue-rules";
import { workerEntries } from "@riverqueue/internal-test-kit/worker-project";
import { TestWorker } from "./testdata/test-worker.ts";

const startWorker = TestWorker.forFile();
const startConsuming = TestWorker.forFile({ batchTimeout: 0 });
failOnLeaks();

const LOG = { id: "1", time: "2026-01-02T03:04:05.678Z", level: "info", message: "hello", attributes: {} };
const VISIT = {
  id: "v1",
  occurredAt: "2026-01-02T03:04:05.678Z",
  name: "page_view",
  path: "/",
  referrer: null,
  visitor: "h",
};

test("RX-06, RX-34: a batch finds its consumer by the queue's exact actual name, and no other", async (t) => {
  const worker = await startWorker(t);
  await worker.emit("k", "async");
  const [body] = (await worker.trace()).sent;
  for (const name of ["async-policy-task", "test-tas", "test-task2", "TEST-TASK", "test-logger ", ""]) {
    const { retryMessages, explicitAcks } = await worker.deliverTo(name, [body]);
    assert.deepEqual([retryMessages.map(({ msgId }) => msgId), explicitAcks], [["m0"], []], name);
    assert.deepEqual((await worker.trace()).alerts, ["unknown_queue"]);
  }
  for (const name of ["test-logger", "test-analytics"]) {
    assert.deepEqual((await worker.deliverTo(name, [body])).explicitAcks, ["m0"]);
    assert.deepEqual((await worker.trace()).alerts, ["malformed_message"]);
  }
  assert.deepEqual(await worker.statuses("k"), ["pending"]);
  assert.deepEqual((await worker.deliver(body)).explicitAcks, ["m0"]);
  assert.deepEqual(await worker.statuses("k"), ["succeeded"]);
});

test("RX-02, RX-34: a message that was not made by this package runs nothing, and is acknowledged and alerted", async (t) => {
  const worker = await startWorker(t);
  const strange = [null, "x", 7, [], {}, { event: "x" }, { event: 1 }, { kind: "send_mail", to: "ana" }];
  for (const body of strange) {
    assert.deepEqual((await worker.deliver(body)).explicitAcks, ["m0"]);
    assert.deepEqual((await worker.trace()).alerts, ["malformed_message"]);
  }
  await worker.deliver({ event: "01890000-0000-7000-8000-000000000000" });
  assert.deepEqual((await worker.trace()).alerts, ["unknown_event"]);
  for (const queue of ["test-logger", "test-analytics"]) {
    const { explicitAcks } = await worker.deliverTo(queue, strange);
    assert.equal(explicitAcks.length, strange.length);
  }
  assert.deepEqual(await worker.kvKeys(""), []);
});

test("RX-03, RX-04, RX-16, RX-17, RX-20: attempts are spread over four deliveries, and the last one acknowledges", async (t) => {
  const worker = await startWorker(t);
  await worker.emit("k", { name: "async", does: "fail" });
  const [body] = (await worker.trace()).sent;
  for (const attempts of [1, 2]) {
    const { retryMessages } = await worker.deliver(body, attempts);
    assert.deepEqual(retryMessages, [{ msgId: "m0", delaySeconds: 1 }]);
    assert.deepEqual(await worker.statuses("k"), ["retryable"]);
  }
  assert.deepEqual((await worker.deliver(body, 3)).explicitAcks, ["m0"]);
  assert.ok((await worker.trace()).alerts.includes("command_failed"));
  const [command] = await worker.commands("k");
  assert.deepEqual([command?.status, command?.attempt], ["failed", 3]);

  await worker.emit("last", "async");
  const [last] = (await worker.trace()).sent;
  await worker.set({ fault: { step: 0, mode: "down" } });
  assert.equal((await worker.deliver(last, 3)).retryMessages.length, 1);
  assert.deepEqual((await worker.deliver(last, 4)).explicitAcks, ["m0"]);
  assert.ok((await worker.trace()).alerts.includes("delivery_exhausted"));
});

test("RX-05: log entries and analytics events are given up on their third failure, with an alert", async (t) => {
  const worker = await startWorker(t);
  const table = "river_reaction_analytics_event";
  await worker.rows(`alter table ${table} rename to hidden`, "ANALYTICS_DB");
  t.after(() => worker.rows(`alter table hidden rename to ${table}`, "ANALYTICS_DB"));
  for (const attempts of [1, 2]) {
    const { retryMessages } = await worker.deliverTo("test-analytics", [VISIT, VISIT], attempts);
    assert.equal(retryMessages.length, 2);
    assert.ok((retryMessages[0]?.delaySeconds ?? 0) >= 10);
  }
  assert.equal((await worker.deliverTo("test-analytics", [VISIT], 3)).explicitAcks.length, 1);
  assert.deepEqual((await worker.trace()).alerts, ["message_dropped"]);

  await worker.set({ fault: { step: 0, mode: "down" } });
  assert.equal((await worker.deliverTo("test-logger", [LOG], 2)).retryMessages.length, 1);
  assert.equal((await worker.deliverTo("test-logger", [LOG], 3)).explicitAcks.length, 1);
  assert.deepEqual((await worker.trace()).alerts, ["message_dropped"]);
});

test("what can be written of a batch is acknowledged, and the rest is retried", async (t) => {
  const worker = await startWorker(t);
  // The whole of the batch fails, then its first entry by itself.
  await worker.set({ fault: { step: 1, mode: "refused" } });
  const entries = [LOG, { ...LOG, id: "2" }, "malformed"];
  const { explicitAcks, retryMessages } = await worker.deliverTo("test-logger", entries);
  assert.deepEqual([explicitAcks.length, retryMessages.length], [3, 0], "one failure is made up for at once");
  assert.deepEqual(await worker.kvKeys("log/"), [`log/${LOG.time}/1`, `log/${LOG.time}/2`]);
});

test("entries are logged to KV, in the order of their times and with an expiry", async (t) => {
  const worker = await startConsuming(t);
  await worker.set({ logs: true });
  await worker.post("/log", ["one", "two"]);
  const keys = await pollUntil(async () => {
    const found = await worker.kvKeys("log/");
    return found.length === 2 && found;
  });
  assert.match(keys[0] ?? "", /^log\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\/[\w-]{36,}$/);
  const { REACTION_KV: namespace } = await worker.miniflare.getBindings<{ REACTION_KV: ListedKv }>();
  const { keys: listed } = await namespace.list({ prefix: "log/" });
  const messages = await Promise.all(keys.map(async (key) => JSON.parse((await namespace.get(key)) ?? "").message));
  assert.deepEqual(messages, ["one", "two"]);
  const inDays = ((listed[0]?.expiration ?? 0) * 1000 - Date.now()) / 86_400_000;
  assert.ok(inDays > 29 && inDays <= 30.1);
});

interface ListedKv {
  get(key: string): Promise<string | null>;
  list(options: { prefix: string }): Promise<{ keys: { name: string; expiration?: number }[] }>;
}

test("what a response logs while it streams is kept too, though the rest of its entries are sent before", async (t) => {
  const worker = await startConsuming(t);
  await worker.set({ logs: true });
  const response = await worker.miniflare.dispatchFetch("http://test/stream", { method: "POST" });
  // Read at once: a body that nobody reads is cancelled when what Miniflare wraps it in is collected.
  const answer = response.json();
  await pollUntil(async () => (await worker.kvKeys("log/")).length === 1);
  await worker.release();
  assert.equal(await answer, "streamed");
  await pollUntil(async () => (await worker.kvKeys("log/")).length === 2);
});

test("what an entry throws is logged through the queue as well", async (t) => {
  const worker = await startConsuming(t);
  await worker.set({ logs: true });
  await (await workerEntries(worker.miniflare)).scheduled({ cron: "0 0 1 1 *" });
  const keys = await pollUntil(async () => {
    const found = await worker.kvKeys("log/");
    return found.length === 2 && found;
  });
  const { REACTION_KV: namespace } = await worker.miniflare.getBindings<{ REACTION_KV: ListedKv }>();
  const entries = await Promise.all(keys.map(async (key) => JSON.parse((await namespace.get(key)) ?? "")));
  assert.deepEqual(
    entries.map(({ message, attributes }) => [message, attributes.entry, attributes.error?.message]),
    [
      ["cron has come", "scheduled", undefined],
      ["an entry of the Worker failed", "scheduled", "it throws"],
    ],
  );
});

test("RX-06: what goes wrong with log entries makes no more of them, whatever their queue is called", async (t) => {
  const worker = await startWorker(t);
  const sends = async (queue: string, body: unknown, settings = {}): Promise<boolean> => {
    await worker.set({ logs: true, ...settings });
    await worker.deliverTo(queue, [body]);
    const { alerts, steps } = await worker.trace();
    assert.equal(alerts.length, 1);
    return steps.includes("loggerQueue.send");
  };
  assert.equal(await sends("test-task", "malformed"), true);
  assert.equal(await sends("test-analytics", "malformed"), true);
  assert.equal(await sends("test-logger", "malformed"), false);
  assert.equal(await sends("logger-of-before", LOG), false);
  assert.equal(await sends("test-logger", LOG, { mixedUp: true }), false, "handed to the consumer of analytics events");
});

test("analytics events go to ANALYTICS_DB, each once, visitors as hashes of the day", async (t) => {
  const worker = await startConsuming(t);
  const visitor = { address: "192.0.2.1", userAgent: "test" };
  for (const id of ["a", "b", "a"]) await worker.post("/track", { id, path: "/p?secret=1", visitor });
  const rows = await pollUntil(async () => {
    const found = await worker.rows("select * from river_reaction_analytics_event order by id", "ANALYTICS_DB");
    return found.length === 2 && found;
  });
  assert.deepEqual(
    rows.map(({ id, path }) => [id, path]),
    [
      ["a", "/p"],
      ["b", "/p"],
    ],
  );
  assert.match(String(rows[0]?.["visitor"]), /^[0-9a-f]{32}$/);
  assert.equal(rows[0]?.["visitor"], rows[1]?.["visitor"]);
  assert.equal(JSON.stringify(rows).includes("192.0.2.1"), false);
  assert.deepEqual(await worker.rows("select id from river_reaction_analytics_event"), []);
});

test("RX-32: a consumer of a queue emits like everybody else", async (t) => {
  const worker = await startWorker(t);
  assert.deepEqual((await worker.deliverTo("exports", [{ emit: "k" }])).explicitAcks, ["m0"]);
  assert.deepEqual(await worker.statuses("k"), ["succeeded", "pending"]);
  assert.equal((await worker.trace()).sent.length, 1);
});

test("E03: messages are split by count and bytes, and one that is too large is refused before any is sent", async (t) => {
  const worker = await startConsuming(t);
  const send = async (counts: readonly string[]): Promise<{ groups: number[]; error: { code: string } | null }> =>
    (await worker.post(
      "/export",
      counts.map((count) => ({ count })),
    )) as never;
  // As JSON 127,900 bytes, the largest that leaves room for what the queue adds.
  const largest = "😀".repeat(31_972);
  assert.equal(Buffer.byteLength(JSON.stringify({ count: largest })), 127_900);
  for (const tooLarge of ["😀".repeat(32_500), `${largest}x`]) {
    const refused = await send(["first", tooLarge, "last"]);
    assert.deepEqual([refused.groups, refused.error?.code], [[], "message_too_large"]);
  }
  assert.deepEqual(await send([largest, largest, largest]), { groups: [2, 1], error: null });

  const body = "x".repeat(3000 - JSON.stringify({ count: "" }).length);
  const byBytes = await send(Array(100).fill(body));
  assert.equal(byBytes.error, null);
  const [first = 0, second = 0, ...more] = byBytes.groups;
  assert.deepEqual([first + second, more], [100, []]);
  assert.ok(first * 3100 <= 256_000);
  const byCount = await send(Array(150).fill("x"));
  assert.deepEqual(byCount.groups, [100, 50]);
  await pollUntil(async () => (await worker.kvKeys("export/")).length === 253);
});

test("RX-34: a queue of the application has its own consumer, retries and dead-letter queue", async (t) => {
  const worker = await startConsuming(t);
  await worker.post("/export", [{ retryAfter: 0 }]);
  const [key] = await pollUntil(async () => {
    const found = await worker.kvKeys("dead/");
    return found.length === 1 && found;
  });
  assert.notEqual(key, undefined);
  // The consumer of the dead-letter queue retries too; that queue has no retries, and what it drops is alerted.
  const alerts = await pollUntil(async () => {
    const found = await worker.rows("select code, queue from river_reaction_alert");
    return found.length > 0 && found;
  });
  assert.deepEqual(alerts, [{ code: "message_dropped", queue: "dead" }]);
});

const MARKED = ["a", "b", "c"];

test("the rules of acknowledging and retrying hold on workerd", async (t) => {
  const worker = await startWorker(t);
  for (const [rule, { title, again, ignored }] of QUEUE_RULES.entries()) {
    await t.test(title, async () => {
      await worker.set({ rule, logs: true });
      const { outcome, explicitAcks, retryMessages } = await worker.deliverTo("exports", MARKED);
      const named = (ids: readonly string[]): string[] => MARKED.filter((_, index) => ids.includes(`m${index}`));
      assert.equal(outcome, "ok");
      assert.deepEqual(named(retryMessages.map(({ msgId }) => msgId)), again);
      assert.deepEqual(
        named(explicitAcks),
        MARKED.filter((body) => !again.includes(body)),
      );
      assert.equal((await worker.trace()).ignored, ignored.length);
    });
  }
});

for (const [lastRule, rule] of LAST_DELIVERY_RULES.entries()) {
  test(`a message past its retries on workerd: ${rule.title}`, async (t) => {
    const worker = await startConsuming(t);
    await worker.set({ lastRule });
    await worker.post("/export", ["a", "b", "c"]);
    const below = async (prefix: string): Promise<string[]> =>
      (await worker.kvKeys(prefix)).map((key) => key.slice(prefix.length)).toSorted();
    const codes = async (): Promise<unknown[]> =>
      (await worker.rows("select code from river_reaction_alert")).map(({ code }) => code);
    await pollUntil(async () => {
      const [delivered, dropped] = [await below("delivered/"), await codes()];
      return delivered.length >= rule.deliveries.length && dropped.length >= rule.dead.length;
    });
    assert.deepEqual(await below("delivered/"), rule.deliveries);
    assert.deepEqual(
      await below("dead/"),
      rule.dead.map((body) => `${body} 1`),
    );
    assert.deepEqual(
      await codes(),
      rule.dead.map(() => "message_dropped"),
    );
  });
}

test("a retry comes after its delay, in whole seconds", async (t) => {
  const worker = await startWorker(t);
  const { retryMessages } = await worker.deliverTo("exports", [
    { retryAfter: 7 },
    { retryAfter: 0.2 },
    { retryAfter: 0 },
  ]);
  assert.deepEqual(
    retryMessages.map(({ delaySeconds }) => delaySeconds),
    [7, 1, 0],
  );
  const refused = await worker.deliverTo("exports", [{ retryAfter: 7 }, { retryAfter: 86_401 }]);
  assert.deepEqual(
    refused.retryMessages.map(({ delaySeconds }) => delaySeconds ?? null),
    [7, null],
    "a delay of more than a day fails its consumer",
  );
});

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import type { LogPage } from "@riverqueue/reaction";
import { readWorkerConfig, startWorker, workerEntries } from "@riverqueue/internal-test-kit/worker-project";

failOnLeaks();

const CONFIG = join(import.meta.dirname, "../wrangler.jsonc");
interface Paid {
  readonly status: string;
  readonly event: string;
  readonly commands: readonly (readonly [string, string])[];
}

interface Page {
  readonly items: readonly { readonly name: string; readonly status: string }[];
}

const ADMIN = { headers: { authorization: "Bearer secret" } };

test("RX-01, RX-06, RX-30: wrangler.jsonc has the three queues, their bindings, their names and their limits", () => {
  const { queues, vars, d1_databases: databases, kv_namespaces: namespaces } = readWorkerConfig(CONFIG);
  const common = { max_batch_timeout: 1, max_concurrency: 1, max_retries: 3 };
  assert.deepEqual(queues.consumers, [
    { queue: "async-policy-task", max_batch_size: 1, ...common },
    { queue: "async-logger", max_batch_size: 50, ...common },
    { queue: "analytics-events", max_batch_size: 8, ...common },
  ]);
  assert.deepEqual(queues.producers, [
    { queue: "async-policy-task", binding: "ASYNC_POLICY_TASK_QUEUE" },
    { queue: "async-logger", binding: "ASYNC_LOGGER_QUEUE" },
    { queue: "analytics-events", binding: "ANALYTICS_QUEUE" },
  ]);
  assert.deepEqual(vars, {
    ASYNC_POLICY_TASK_QUEUE_NAME: "async-policy-task",
    ASYNC_LOGGER_QUEUE_NAME: "async-logger",
    ANALYTICS_QUEUE_NAME: "analytics-events",
  });
  assert.deepEqual(
    databases.map(({ binding }) => binding),
    ["REACTION_DB", "ANALYTICS_DB"],
  );
  assert.deepEqual(
    namespaces.map(({ binding }) => binding),
    ["REACTION_KV"],
  );
});

test("RX-32: a webhook, a page view and cron go all the way through the queues", async (t) => {
  const worker = await startWorker(t, CONFIG, { batchTimeout: 0, vars: { ADMIN_TOKEN: "secret" } });
  const json = async <T>(path: string, init = {}): Promise<T> =>
    (await worker.dispatchFetch(`http://shop.test${path}`, init)).json() as Promise<T>;
  const pay = () => json<Paid>("/webhooks/payment", { method: "POST", body: '{"orderId":"7","userId":"ana"}' });

  const paid = await pay();
  assert.equal(paid.status, "accepted");
  assert.deepEqual(paid.commands, [
    ["grant_role", "succeeded"],
    ["send_receipt", "pending"],
  ]);
  await pollUntil(async () => (await json<{ receipts: number }>("/orders/7/receipts")).receipts === 1);
  const again = await pay();
  assert.deepEqual([again.status, again.event], ["duplicate", paid.event]);

  for (const body of ['{"orderId":8}', "null", "[]", "no JSON"]) {
    const { status } = await worker.dispatchFetch("http://shop.test/webhooks/payment", { method: "POST", body });
    assert.equal(status, 400, "what can never be taken is not asked for again");
  }

  await worker.dispatchFetch("http://shop.test/", { headers: { "cf-connecting-ip": "192.0.2.1" } });
  const day = new Date().toISOString().slice(0, 10);
  await pollUntil(async () => (await json<{ count: number }[]>(`/dashboard/visits/${day}`, ADMIN))[0]?.count === 1);

  const { outcome } = await (await workerEntries(worker)).scheduled({ cron: "15 3 * * *", scheduledTime: new Date() });
  assert.equal(outcome, "ok");
  await pollUntil(async () => {
    const { items } = await json<Page>("/dashboard/reaction/events", ADMIN);
    return items.length === 2 && items.every(({ status }) => status === "completed");
  });
  const { items } = await json<Page>("/dashboard/reaction/commands", ADMIN);
  assert.deepEqual(items.map(({ name, status }) => `${name} ${status}`).toSorted(), [
    "grant_role succeeded",
    "purge_old_receipts succeeded",
    "send_receipt succeeded",
  ]);
  const { entries } = await pollUntil(async () => {
    const page = await json<LogPage>("/dashboard/logs", ADMIN);
    return page.entries.length > 0 && page;
  });
  assert.deepEqual(
    entries.map(({ message, attributes }) => [message, attributes["orderId"], attributes["entry"]]),
    [["a receipt was sent", "7", "queue"]],
  );
});

test("payments that come at once are all worked, one message at a time", async (t) => {
  const worker = await startWorker(t, CONFIG, { batchTimeout: 0 });
  const post = (orderId: number) =>
    worker.dispatchFetch("http://shop.test/webhooks/payment", {
      method: "POST",
      body: JSON.stringify({ orderId: String(orderId), userId: "ana" }),
    });
  const orders = Array.from({ length: 60 }, (_, index) => index % 20);
  const answers = await Promise.all(orders.map(async (order) => (await post(order)).json() as Promise<Paid>));
  assert.equal(answers.filter(({ status }) => status === "accepted").length, 20);
  const database = await worker.getD1Database("REACTION_DB");
  const receipts = database.prepare("select count(*) as count, count(distinct order_id) as orders from shop_receipt");
  const found = await pollUntil(async () => {
    const row = await receipts.first<{ count: number; orders: number }>();
    return row?.count === 20 && row;
  });
  assert.deepEqual(found, { count: 20, orders: 20 });
});

test("nobody sees the dashboard without the token", async (t) => {
  const worker = await startWorker(t, CONFIG);
  for (const init of [{}, ADMIN]) {
    const { status } = await worker.dispatchFetch("http://shop.test/dashboard/reaction/events", init);
    assert.equal(status, 401);
  }
});

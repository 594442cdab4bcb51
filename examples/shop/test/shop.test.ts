import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil, spawnNode, temporaryFolder } from "@riverqueue/internal-test-kit";
import { startShop } from "../src/start-shop.ts";

failOnLeaks();

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const SHOP = new URL("testdata/shop-process.ts", import.meta.url);

type Rows = (text: string) => Record<string, unknown>[];

function shopFile(t: TestContext): { readonly path: string; readonly rows: Rows } {
  const path = join(temporaryFolder(t), "shop.db");
  return {
    path,
    rows: (text) => {
      const database = new DatabaseSync(path, { timeout: 5000 });
      try {
        return database
          .prepare(text)
          .all()
          .map((row) => ({ ...row }));
      } finally {
        database.close();
      }
    },
  };
}

async function pay(url: string, id: string): Promise<{ status: string; role: string }> {
  await fetch(`${url}/orders/${id}`, { method: "PUT", body: JSON.stringify({ customer: "ada" }) });
  const response = await fetch(`${url}/orders/${id}/payment`, { method: "POST" });
  return (await response.json()) as { status: string; role: string };
}

/** Entries that were written, in the order they were logged. */
function logged(rows: Rows): Record<string, unknown>[] {
  return rows(`select json_extract(value, '$.message') as message,
    json_extract(value, '$.attributes.orderId') as orderId, json_extract(value, '$.attributes.status') as status,
    json_extract(value, '$.attributes.entry') as entry
    from river_reaction_key_value where key like 'log/%' order by key`);
}

/** Ids of what was counted. */
function counted(rows: Rows): unknown[] {
  return rows("select id from river_reaction_analytics_event where name = 'order_paid'").map(({ id }) => id);
}

test("RX-13 RX-27 RX-32 paying grants the role before the answer, sends the receipt afterwards, logs and tracks", async (t) => {
  const { path, rows } = shopFile(t);
  const shop = await startShop({ path, port: 0, logger: quiet });
  try {
    assert.deepEqual(await pay(shop.url, "1"), { status: "accepted", role: "succeeded" });
    assert.deepEqual(rows("select customer, role from roles"), [{ customer: "ada", role: "buyer" }]);
    assert.deepEqual(await pay(shop.url, "1"), { status: "duplicate", role: "succeeded" });
    await pollUntil(async () => {
      const answer = (await (await fetch(`${shop.url}/orders/1`)).json()) as { event: string };
      return answer.event === "completed";
    });
    assert.equal((await fetch(`${shop.url}/orders/none/payment`, { method: "POST" })).status, 404);
    assert.equal((await fetch(`${shop.url}/orders/none`)).status, 404);
    for (const body of ["no JSON", "{}", '{"customer":7}']) {
      assert.equal((await fetch(`${shop.url}/orders/2`, { method: "PUT", body })).status, 400);
    }
    await pollUntil(() => rows("select 1 from river_reaction_analytics_event").length > 0);
  } finally {
    await shop.stop();
  }
  assert.deepEqual(rows("select order_id, address from receipts"), [{ order_id: "1", address: "ada@shop.example" }]);
  assert.equal(rows("select 1 from river_reaction_analytics_event where name = 'order_paid'").length, 1);
  // What was logged last is in the queue at least when the shop has stopped, and written after it has started again.
  const next = await startShop({ path, port: 0, logger: quiet });
  try {
    await pollUntil(() => logged(rows).length === 2);
  } finally {
    await next.stop();
  }
  assert.deepEqual(logged(rows), [
    { message: "an order was paid", orderId: "1", status: "accepted", entry: "fetch" },
    { message: "an order was paid", orderId: "1", status: "duplicate", entry: "fetch" },
  ]);
});

test("many customers pay at the same moment and none in vain", async (t) => {
  const { path, rows } = shopFile(t);
  const shop = await startShop({ path, port: 0, logger: quiet });
  const ids = Array.from({ length: 10 }, (_, index) => String(index));
  try {
    // A handle that waits by stopping the event loop waits in vain: it stops the one that it waits for.
    const answers = await Promise.all(ids.map((id) => pay(shop.url, id)));
    assert.deepEqual(
      answers,
      ids.map(() => ({ status: "accepted", role: "succeeded" })),
    );
  } finally {
    await shop.stop();
  }
  assert.equal(rows("select 1 from roles").length, ids.length);
});

/** Starts a shop that dies in the place, and pays order 1 there. Resolves to the answer; null without one. */
async function payAndDie(t: TestContext, path: string, place: string): Promise<unknown> {
  const doomed = spawnNode(t, SHOP, [path, place]);
  const answer = pay(await doomed.next<string>(), "1").catch(() => null);
  assert.equal((await doomed.exit()).signal, "SIGKILL");
  return answer;
}

/** The shop once more, as a process that lives. */
async function startAgain(t: TestContext, path: string): Promise<{ readonly url: string; kill(): Promise<unknown> }> {
  const again = spawnNode(t, SHOP, [path]);
  return { url: await again.next<string>(), kill: () => again.kill() };
}

/** Waits until all is done, and finds every effect once. */
async function everyEffectOnce(rows: Rows): Promise<void> {
  await pollUntil(() => rows("select 1 from river_reaction_event where status = 'completed'").length === 1);
  const effects = rows("select execution_id from roles union all select execution_id from receipts");
  const commands = rows("select id, status, name from river_reaction_command order by position");
  assert.deepEqual(
    commands.map(({ status, name }) => `${String(name)} ${String(status)}`),
    ["grant_role succeeded", "send_receipt succeeded"],
  );
  assert.deepEqual(
    effects.map(({ execution_id: id }) => id),
    commands.map(({ id }) => id),
  );
  assert.deepEqual(rows("select count(*) as paid from orders where paid_at is not null"), [{ paid: 1 }]);
}

for (const place of ["before the payment", "inside the payment", "before the commit"]) {
  test(`killed ${place} and started again, the shop knows of no payment until it is made again`, async (t) => {
    const { path, rows } = shopFile(t);
    assert.equal(await payAndDie(t, path, place), null);
    const again = await startAgain(t, path);
    assert.deepEqual(rows("select customer, paid_at from orders"), [{ customer: "ada", paid_at: null }]);
    for (const table of ["river_reaction_event", "river_reaction_command", "roles", "receipts"]) {
      assert.deepEqual(rows(`select * from ${table}`), [], table);
    }
    assert.deepEqual(rows("select * from river_job where queue = 'async-policy-task'"), []);
    assert.deepEqual(await pay(again.url, "1"), { status: "accepted", role: "succeeded" });
    await everyEffectOnce(rows);
    await again.kill();
  });
}

for (const place of [
  "after the payment",
  "before the role",
  "inside the role",
  "after the role",
  "before the answer",
  "before the receipt",
  "inside the receipt",
  "after the receipt",
]) {
  test(`killed ${place} and started again, the shop has every effect once, without another payment`, async (t) => {
    const { path, rows } = shopFile(t);
    await payAndDie(t, path, place);
    const again = await startAgain(t, path);
    await everyEffectOnce(rows);
    await again.kill();
  });
}

test("killed before the answer, the payment is logged and counted when it is made again", async (t) => {
  const { path, rows } = shopFile(t);
  assert.equal(await payAndDie(t, path, "before the answer"), null);
  const again = await startAgain(t, path);
  await everyEffectOnce(rows);
  assert.deepEqual(await pay(again.url, "1"), { status: "duplicate", role: "succeeded" });
  await pollUntil(() => counted(rows).length > 0 && logged(rows).length > 0);
  assert.deepEqual(counted(rows), ["order-paid:1"]);
  assert.deepEqual(logged(rows), [{ message: "an order was paid", orderId: "1", status: "duplicate", entry: "fetch" }]);
  await everyEffectOnce(rows);
  await again.kill();
});

test("killed right after the answer, the payment is logged and counted all the same, once", async (t) => {
  const { path, rows } = shopFile(t);
  const first = spawnNode(t, SHOP, [path]);
  assert.deepEqual(await pay(await first.next<string>(), "1"), { status: "accepted", role: "succeeded" });
  // The entry was sent when it was logged, without the answer waiting for it.
  await pollUntil(() => rows("select 1 from river_job where queue = 'async-logger'").length > 0);
  await first.kill();
  // Time passes: for minutes nobody else can know that what the process had in hand is nobody's any more.
  rows(
    "update river_job set attempted_at = strftime('%Y-%m-%d %H:%M:%f', attempted_at, '-2 hours') where state = 'running'",
  );
  rows("delete from river_leader");
  const again = await startAgain(t, path);
  await everyEffectOnce(rows);
  await pollUntil(() => counted(rows).length > 0 && logged(rows).length > 0);
  assert.deepEqual(counted(rows), ["order-paid:1"]);
  assert.deepEqual(logged(rows), [{ message: "an order was paid", orderId: "1", status: "accepted", entry: "fetch" }]);
  await again.kill();
});

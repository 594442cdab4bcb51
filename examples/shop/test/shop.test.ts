import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil, spawnNode, temporaryFolder } from "@riverqueue/internal-test-kit";
import { startShop } from "../src/start-shop.ts";

failOnLeaks();

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const SHOP = new URL("testdata/shop-process.ts", import.meta.url);

function shopFile(t: TestContext): {
  readonly path: string;
  readonly rows: (text: string) => Record<string, unknown>[];
} {
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
  const messages = rows(
    "select json_extract(args, '$.body.message') as message from river_job where queue = 'async-logger'",
  );
  const stored = rows("select value from river_reaction_key_value where key like 'log/%'");
  assert.equal(messages.length, 2);
  assert.ok(stored.length <= 2);
});

test("many customers pay at the same moment and none waits for long, or in vain", async (t) => {
  const { path, rows } = shopFile(t);
  const shop = await startShop({ path, port: 0, logger: quiet });
  const ids = Array.from({ length: 10 }, (_, index) => String(index));
  const startedAt = performance.now();
  try {
    const answers = await Promise.all(ids.map((id) => pay(shop.url, id)));
    assert.deepEqual(
      answers,
      ids.map(() => ({ status: "accepted", role: "succeeded" })),
    );
    // A handle that waits by stopping the event loop does so for five seconds, and then fails.
    assert.ok(performance.now() - startedAt < 4500);
  } finally {
    await shop.stop();
  }
  assert.equal(rows("select 1 from roles").length, ids.length);
});

const PLACES = [
  "before the payment",
  "after the payment",
  "before the role",
  "after the role",
  "before the answer",
  "before the receipt",
  "after the receipt",
];

for (const place of PLACES) {
  test(`killed ${place} and started again, the shop has every effect once`, async (t) => {
    const { path, rows } = shopFile(t);
    const doomed = spawnNode(t, SHOP, [path, place]);
    const url = await doomed.next<string>();
    const answer = pay(url, "1").catch(() => null);
    assert.equal((await doomed.exit()).signal, "SIGKILL");
    await answer;
    const again = spawnNode(t, SHOP, [path]);
    const { role } = await pay(await again.next<string>(), "1");
    assert.ok(["succeeded", "running", "pending"].includes(role), role);
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
    await again.kill();
  });
}

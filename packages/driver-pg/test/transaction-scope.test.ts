/** Where statements run: transactions of the application, by `pg` and by adapters, and transactions of River. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { type Client, Pool } from "pg";
import { PgDriver, type PgTransaction } from "@riverqueue/driver-pg";
import type { Scope } from "riverqueue/driver";
import {
  claim,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  keyOf,
  newJob,
  read,
} from "./fixture/driver-fixture.ts";
import { heardBy } from "./fixture/heard-by.ts";

failOnLeaks();

const NOTICE = { topic: "river_insert", payload: '{"queue": "default"}' } as const;

const transactions: Readonly<Record<string, (client: Client) => PgTransaction>> = {
  "a client of pg": (client) => client,
  "an adapter": (client) => ({
    query: (text, values) => client.query<Record<string, unknown>>(text, values),
  }),
};

for (const [what, adapt] of Object.entries(transactions)) {
  test(`${what}: statements run in the caller's transaction, which decides`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    const heard = await heardBy(lease);
    const client = await lease.connect();
    const tx = adapt(client);
    const scope = { owner: "caller", tx } as const;
    for (const end of ["ROLLBACK", "COMMIT"]) {
      await client.query("BEGIN");
      const jobs = [newJob({ tags: ["one"] }), newJob({ uniqueKey: keyOf(1), uniqueStates: 245 })];
      const inserted = await driver.jobs.insert({ jobs, notices: [NOTICE], durability: "relaxed" }, { scope });
      const [a, b] = inserted.map(({ job }) => job);
      assert.ok(a && b);
      assert.equal(await driver.jobs.get({ id: a.id }), null);
      assert.deepEqual((await driver.jobs.get({ id: a.id }, { scope }))?.tags, ["one"]);
      assert.equal((await driver.jobs.cancel({ id: b.id, requestedAt: fromNow(0) }, { scope })).outcome, "done");
      assert.equal((await driver.queues.keepAlive({ name: "q" }, { scope })).name, "q");
      await client.query(end);
      assert.equal((await driver.jobs.get({ id: b.id }))?.state, end === "COMMIT" ? "cancelled" : undefined);
    }
    const cancelled = (await heard(2)).map(([channel]) => channel);
    assert.deepEqual(cancelled, ["public.river_insert", "public.river_control"]);
  });

  test(`${what}: an attempt is completed in it, exactly once`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    await insert(driver, {}, {});
    const jobs = await claim(driver);
    const client = await lease.connect();
    const scope = { owner: "caller", tx: adapt(client) } as const;
    await client.query("BEGIN");
    const settlements = jobs.map((job, index) => endOf(job, index === 0 ? {} : { metadata: '{"output":1}' }));
    const settled = await driver.jobs.settle({ settlements, wantRows: true }, { scope });
    assert.deepEqual(
      settled.map(({ outcome, job }) => [outcome, job?.state, job?.metadata]),
      [
        ["settled", "completed", "{}"],
        ["settled", "completed", '{"output": 1}'],
      ],
    );
    assert.equal((await read(driver, jobs[0]?.id ?? 0n)).state, "running");
    await client.query("COMMIT");
    assert.equal((await read(driver, jobs[0]?.id ?? 0n)).state, "completed");
  });

  test(`${what}: extension statements run in it`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    const client = await lease.connect();
    await client.query("BEGIN");
    const scope = { owner: "caller", tx: adapt(client) } as const;
    const [result] = await driver.extension.run([{ text: "SELECT $1::text AS a", values: ["x"] }], { scope });
    assert.deepEqual(result, { rows: [{ a: "x" }], changes: 1 });
    await client.query("ROLLBACK");
  });
}

test("River's own transaction is one with what is run in its scope", async (t) => {
  const { driver, lease } = await driverFixture(t);
  let kept: Scope<PgTransaction> | undefined;
  const jobs = [newJob()];
  const params = { jobs, notices: [], durability: "default" } as const;
  const failing = driver.transaction(
    async (scope) => {
      await driver.jobs.insert(params, { scope });
      throw new RangeError("the application's own");
    },
    { durability: "default" },
  );
  await assert.rejects(failing, new RangeError("the application's own"));
  const id = await driver.transaction(
    async (scope) => {
      kept = scope;
      const [inserted] = await driver.jobs.insert(params, { scope });
      return inserted?.job.id;
    },
    { durability: "relaxed" },
  );
  assert.deepEqual(await lease.query("SELECT id::int FROM river_job"), [{ id: Number(id) }]);
  const ended = { code: "transaction_scope", reason: "no_transaction" };
  await assert.rejects(driver.jobs.insert(params, { scope: kept }), ended);
  const other = await driverFixture(t);
  for (const scope of [kept, { owner: "river", handle: {} } as const]) {
    await assert.rejects(other.driver.jobs.insert(params, { scope }), { code: "backend_mismatch" });
  }
});

test("what is no open transaction is refused before anything is sent", async (t) => {
  const { driver, pool, lease } = await driverFixture(t);
  const idle = await lease.connect();
  const params = { jobs: [newJob()], notices: [], durability: "default" } as const;
  const into = (tx: unknown): Promise<unknown> =>
    driver.jobs.insert(params, { scope: { owner: "caller", tx: tx as PgTransaction } });
  await assert.rejects(into(pool), { code: "transaction_scope", reason: "no_transaction" });
  await assert.rejects(into(idle), { code: "transaction_scope", reason: "no_transaction" });
  for (const wrong of [{}, null, 5, { query: 1 }]) await assert.rejects(into(wrong), { code: "backend_mismatch" });
  assert.deepEqual(await lease.query("SELECT count(*)::int AS n FROM river_job"), [{ n: 0 }]);
});

test("a driver on a single client reads and changes, and inserts with a transaction only", async (t) => {
  const { driver: pooled, lease } = await driverFixture(t);
  const client = await lease.connect();
  const driver = new PgDriver(client);
  const params = { jobs: [newJob()], notices: [], durability: "default" } as const;
  await assert.rejects(driver.jobs.insert(params), { code: "transaction_scope", reason: "no_transaction" });
  await assert.rejects(
    driver.transaction(() => Promise.resolve(), { durability: "default" }),
    { code: "transaction_scope" },
  );
  await assert.rejects(driver.openSession({ listens: false, leads: false }), { code: "configuration" });
  await assert.rejects(driver.notices.listen({ topics: [], onNotice: () => {}, onLost: () => {} }), {
    code: "configuration",
  });
  await client.query("BEGIN");
  await driver.jobs.insert(params, { scope: { owner: "caller", tx: client } });
  await client.query("COMMIT");
  const { id } = await insertOne(pooled);
  const [first, second] = await Promise.all([driver.jobs.get({ id: 1n }), driver.jobs.get({ id })]);
  assert.deepEqual([first?.id, second?.id], [1n, id]);
  assert.equal((await driver.jobs.cancel({ id, requestedAt: fromNow(0) })).outcome, "done");
});

test("anything but a pool or client, and wrong options, are refused with all that is wrong", async () => {
  for (const source of [null, {}, "postgres://localhost", () => {}]) {
    assert.throws(() => new PgDriver(source as unknown as Pool), { code: "configuration", message: /pool: / });
  }
  const pool = new Pool();
  const wrong = (options: unknown, message: RegExp): void =>
    assert.throws(() => new PgDriver(pool, options as object), { code: "configuration", message });
  wrong([], /^options must be an object$/);
  wrong({ schemas: "a" }, /^options\.schemas is not an option; did you mean schema\?$/);
  wrong({ prepareMs: 1 }, /^options\.prepareMs is not an option; use prepare with a duration/);
  const all = { schema: "", prepare: 1, server: "mysql", max: 1 };
  wrong(
    all,
    /max is not an option; known are .*; options\.schema must .*; options\.prepare must .*; options\.server must /,
  );
  for (const schema of ["a\0", "x".repeat(47), "é".repeat(24), "\ud800", 5])
    wrong({ schema }, /^options\.schema must be the name of a schema/);
  for (const schema of ["x".repeat(46), 'a"b', null, undefined]) {
    assert.doesNotThrow(() => new PgDriver(pool, { schema }));
  }
  await pool.end();
});

/** Figures, extension statements and indexes. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { dialectFor } from "../src/connection/dialect.ts";
import { RUNNING_BY_CLIENT } from "../src/sql/inspect/clients.ts";
import { COUNT_STATES } from "../src/sql/inspect/counts.ts";
import { QUEUE_DEPTHS } from "../src/sql/inspect/queues.ts";
import { FINALIZED_PER_MINUTE } from "../src/sql/inspect/throughput.ts";
import { driverFixture } from "./fixture/driver-fixture.ts";

failOnLeaks();

const STATEMENTS = [
  ["counts", COUNT_STATES, ["{available,completed,running}", "10001"]],
  ["queues", QUEUE_DEPTHS, ["100", "10001", "now"]],
  ["throughput", FINALIZED_PER_MINUTE, ["60", "10000"]],
  ["clients", RUNNING_BY_CLIENT, ["10000", "100"]],
] as const;

for (const [when, state] of [
  ["nearly all jobs have ended", "completed"],
  ["a backlog is worked off that the statistics still know", "available"],
  ["the statistics know of far more running jobs than there are", "running"],
] as const) {
  test(`inspection reads no table from end to end when ${when}`, async (t) => {
    const { lease } = await driverFixture(t);
    await lease.query(
      `INSERT INTO river_job (kind, args, max_attempts, state, finalized_at)
        SELECT 'k', '{}', 25, $1::text::river_job_state, CASE WHEN $1::text = 'completed' THEN now() END
        FROM generate_series(1, 20000)`,
      [state],
    );
    await lease.query("ANALYZE river_job");
    await lease.query("UPDATE river_job SET state = 'completed', finalized_at = now() WHERE state <> 'completed'");
    const dialect = dialectFor(null, { notifies: true, tellsByXmax: true }, false);
    for (const [name, template, values] of STATEMENTS) {
      const text = template(dialect).replaceAll(/\$(\d)/g, (_, place) => `'${values[Number(place) - 1]}'`);
      const [row] = await lease.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`);
      const plan = JSON.stringify(row?.["QUERY PLAN"]);
      assert.doesNotMatch(plan, /"Seq Scan"[^{}]*"Relation Name":"river_job"/, name);
      // Statistics that know of no ended job make throughput sort them all.
      if (state !== "completed") continue;
      const most = [...plan.matchAll(/"Actual Rows":(\d+)/g)].map(([, rows]) => Number(rows));
      assert.ok(Math.max(...most) <= 10_001, name);
    }
  });
}

test("extension statements run in order as one unit, rows by column name", async (t) => {
  const { driver } = await driverFixture(t);
  const table = driver.extension.tableName('fle"et');
  assert.equal(table, '"fle""et"');
  const [created, inserted, read] = await driver.extension.run([
    { text: `CREATE TABLE ${table} (n integer, big bigint, t text, b bytea, ok boolean, at timestamptz)`, values: [] },
    {
      text: `INSERT INTO ${table} VALUES ($1, $2, $3, $4, true, '2030-01-01Z'), (2, 2, 'b', NULL, NULL, NULL)`,
      values: [1, 9007199254740993n, null, new Uint8Array([0, 255])],
    },
    { text: `SELECT * FROM ${table} ORDER BY n`, values: [] },
  ]);
  assert.deepEqual([created?.changes, inserted?.changes, read?.changes], [0, 2, 2]);
  assert.deepEqual(read?.rows, [
    { n: 1, big: 9007199254740993n, t: null, b: new Uint8Array([0, 255]), ok: true, at: "2030-01-01 00:00:00+00" },
    { n: 2, big: 2, t: "b", b: null, ok: null, at: null },
  ]);
  const failing = driver.extension.run([
    { text: `DELETE FROM ${table}`, values: [] },
    { text: "SELECT * FROM none", values: [] },
  ]);
  await assert.rejects(failing, { code: "database" });
  assert.equal((await driver.extension.run([{ text: `SELECT n FROM ${table}`, values: [] }]))[0]?.rows.length, 2);
});

test("indexes are found and rebuilt, and left-overs dropped", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const names = ["none", "river_job_kind", "river_job_unique_idx"];
  assert.deepEqual(await driver.indexes.existing({ names }), names.slice(1));
  const { signal } = new AbortController();
  await driver.indexes.rebuild({ index: "river_job_kind", timeoutMs: null, signal });
  await assert.rejects(driver.indexes.rebuild({ index: "none", timeoutMs: 10_000, signal }), { code: "database" });
  await assert.rejects(
    driver.indexes.rebuild({ index: "river_job_kind", timeoutMs: 1_000, signal: AbortSignal.abort() }),
  );
  for (const suffix of ["_ccnew", "_ccold1", "_ccnewer", "x_ccnew"]) {
    await lease.query(`CREATE INDEX river_job_kind${suffix} ON river_job (kind)`);
  }
  const artifacts = ["river_job_kind_ccnew", "river_job_kind_ccold1"];
  assert.deepEqual(await driver.indexes.artifacts({ index: "river_job_kind" }), artifacts);
  await driver.indexes.dropArtifacts({ index: "river_job_kind", timeoutMs: 10_000 });
  assert.deepEqual(await driver.indexes.artifacts({ index: "river_job_kind" }), []);
});

test("a rebuild that is interrupted ends on the server as well, and what it left can be dropped", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE river_job IN ROW EXCLUSIVE MODE");
  const stop = new AbortController();
  const rebuilding = driver.indexes.rebuild({ index: "river_job_kind", timeoutMs: null, signal: stop.signal });
  const active = async (): Promise<number> =>
    (await lease.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'REINDEX%' AND state = 'active'")).length;
  await pollUntil(async () => (await active()) === 1);
  stop.abort();
  await assert.rejects(rebuilding, { name: "AbortError" });
  await pollUntil(async () => (await active()) === 0);
  await holder.query("ROLLBACK");
  assert.deepEqual(await driver.indexes.artifacts({ index: "river_job_kind" }), ["river_job_kind_ccnew"]);
  await driver.indexes.dropArtifacts({ index: "river_job_kind", timeoutMs: 10_000 });
  assert.deepEqual(await driver.indexes.artifacts({ index: "river_job_kind" }), []);
});

/** Where the line `fleet` is not migrated, is switched off, or cannot be written. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { CLEAN_MS, FAILURE_LOG_MS, HEARTBEAT_MS, RECHECK_MS } from "../../src/fleet/fleet.ts";
import { advanceUntil, type ClientOnSqliteOptions } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";
import { fleetOnSqlite } from "./testdata/fleet-on-sqlite.ts";

failOnLeaks();

/** Statements of the fleet, as they are sent. */
function recordedIn(statements: string[]): Required<Pick<ClientOnSqliteOptions, "intercept">> {
  return {
    intercept: (verb, params: readonly { readonly text: string }[], proceed) => {
      if (verb === "extension.run") statements.push(...params.map(({ text }) => text.split(" ", 1).join("")));
      return proceed();
    },
  };
}

test("without the line nothing is written, and the tables are looked for at the start and every ten minutes", async (t) => {
  const { clock, client, until } = await fleetOnSqlite(t, { migrated: false });
  const statements: string[] = [];
  const { start, insert, events } = await client(recordedIn(statements));
  const run = await start();
  await insert(5);
  await advanceUntil(clock, events.when("job_completed", 5), 10);
  await clock.advance(RECHECK_MS - HEARTBEAT_MS);
  assert.deepEqual(statements, ["SELECT"]);
  await until(() => statements.length === 2, 3 * HEARTBEAT_MS);
  await advanceUntil(clock, run.stop());
  assert.deepEqual(statements, ["SELECT", "SELECT"]);
});

test("a line that is migrated later is noticed, and one that is taken out is left alone", async (t) => {
  const { clock, client, migrate, rows, until } = await fleetOnSqlite(t, { migrated: false });
  const { start, insert, events, logs } = await client();
  const run = await start();
  await insert(1);
  await advanceUntil(clock, events.when("job_completed"), 10);
  await clock.advance(1_000);
  await migrate("up");
  await until(() => rows("select * from river_fleet_client").length === 1, 1.1 * RECHECK_MS);
  await insert(1);
  await advanceUntil(clock, events.when("job_completed", 2), 10);
  await until(() => rows("select * from river_fleet_minute").length > 0, 60_000 + 3 * HEARTBEAT_MS);
  assert.deepEqual(rows("select sum(completed) as n from river_fleet_minute"), [{ n: 1 }], "only what was done since");

  await migrate("down");
  await until(() => logs.some(({ level }) => level === "warn"), 3 * HEARTBEAT_MS);
  await clock.advance(2 * HEARTBEAT_MS);
  await migrate("up");
  await clock.advance(RECHECK_MS / 2);
  assert.deepEqual(rows("select * from river_fleet_client"), [], "not looked for so soon");
  await advanceUntil(clock, run.stop());
  assert.deepEqual(rows("select * from river_fleet_audit"), []);
  assert.equal(logs.filter(({ level }) => level !== "info").length, 1);
});

test("fleet: false sends no statement at all", async (t) => {
  const { clock, client, rows } = await fleetOnSqlite(t);
  const statements: string[] = [];
  const { start, insert, events } = await client({ ...recordedIn(statements), client: { fleet: false } });
  const run = await start();
  await insert(1);
  await advanceUntil(clock, events.when("job_completed"), 10);
  await clock.advance(CLEAN_MS);
  await advanceUntil(clock, run.stop());
  assert.deepEqual(statements, []);
  assert.deepEqual(rows("select * from river_fleet_minute"), []);
});

test("failures touch no job, are logged rarely, and what was counted is written afterwards", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  let broken = false;
  let refused = 0;
  const { start, insert, events, logs } = await client({
    intercept: (verb, _, proceed) => {
      if (verb !== "extension.run" || !broken) return proceed();
      refused += 1;
      throw databaseError(refused % 2 === 0 ? "other" : "transient", "extension.run");
    },
  });
  const run = await start();
  await clock.advance(1_000);
  broken = true;
  await insert(20);
  await advanceUntil(clock, events.when("job_completed", 20), 10);
  await clock.advance(FAILURE_LOG_MS);
  const warnings = (): unknown[] =>
    logs.filter(({ level }) => level !== "info").map(({ level, message }) => [level, message]);
  const warning = ["warn", "the fleet's tables could not be written; jobs are not affected"];
  assert.deepEqual(warnings(), [warning]);
  // Tried after 10, 20, 40, 80, 160 and then every 300 seconds.
  assert.ok(refused >= 5 && refused <= 8, String(refused));
  await until(() => warnings().length === 2, FAILURE_LOG_MS);
  assert.deepEqual(warnings(), [warning, warning]);
  assert.equal(run.state, "running");

  broken = false;
  await until(() => rows("select * from river_fleet_minute").length > 0, FAILURE_LOG_MS);
  assert.deepEqual(rows("select sum(completed) as n from river_fleet_minute"), [{ n: 20 }]);
  assert.deepEqual(rows("select count(*) as n from river_fleet_client"), [{ n: 1 }]);
  await advanceUntil(clock, run.stop());
});

test("a stop ends although the last statements fail, and tries none while the tables cannot be written", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  let broken = false;
  let refused = 0;
  const intercept: ClientOnSqliteOptions["intercept"] = (verb, _, proceed) => {
    if (verb !== "extension.run" || !broken) return proceed();
    refused += 1;
    throw databaseError("transient", "extension.run");
  };
  const a = await client({ client: { clientId: "a" }, intercept });
  const b = await client({ client: { clientId: "b" }, intercept });
  const [runA, runB] = [await a.start(), await b.start()];
  await clock.advance(1_000);
  broken = true;
  await advanceUntil(clock, runA.stop(), 1);
  assert.equal(refused, 1);
  await until(() => refused === 2, 2 * HEARTBEAT_MS);
  await advanceUntil(clock, runB.stop(), 1);
  assert.equal(refused, 2);
  assert.deepEqual(rows("select client_id from river_fleet_client order by 1"), [
    { client_id: "a" },
    { client_id: "b" },
  ]);
});

test("a heartbeat that the database refuses comes again when it does not", async (t) => {
  const { clock, client, rows, until } = await fleetOnSqlite(t);
  const { start, insert, events, sql } = await client();
  const run = await start();
  await clock.advance(1_000);
  // A trigger of the operator's that refuses every write.
  sql.exec("create trigger no before update on river_fleet_client begin select raise(abort, 'no'); end");
  await insert(1);
  await advanceUntil(clock, events.when("job_completed"), 10);
  await clock.advance(60_000);
  const later = "select * from river_fleet_client where seen_at > '2026-01-02 03:05:30'";
  assert.deepEqual(rows(later), []);
  sql.exec("drop trigger no");
  await until(() => rows(later).length === 1, 120_000);
  await advanceUntil(clock, run.stop());
});

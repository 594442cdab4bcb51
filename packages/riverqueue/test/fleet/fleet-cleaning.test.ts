/** Old rows of the fleet's tables, which the leader deletes. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { CLEAN_MS, HEARTBEAT_MS } from "../../src/fleet/fleet.ts";
import { advanceUntil } from "../testdata/client-on-sqlite.ts";
import { type FleetOnSqlite, fleetOnSqlite } from "./testdata/fleet-on-sqlite.ts";

failOnLeaks();

/** Rows of each table, some past their time and some not, by the clock of the test. */
function addOldRows({ database, clock }: FleetOnSqlite, suffix = ""): void {
  const handle = database.open({ timeout: 5_000 });
  const ago = (duration: { readonly hours: number } | { readonly minutes: number }): string => {
    const at = clock.now().subtract(duration);
    return at.toString({ fractionalSecondDigits: 3 }).replace("T", " ").replace("Z", "");
  };
  const client = handle.prepare(
    "insert into river_fleet_client (client_id, host, process_id, runtime, state, started_at, seen_at) values (?, 'h', 1, 'node', 'running', ?2, ?2)",
  );
  client.run(`silent${suffix}`, ago({ minutes: 61 }));
  client.run(`late${suffix}`, ago({ minutes: 55 }));
  const minute = handle.prepare("insert into river_fleet_minute (minute, queue, kind) values (?, 'q', ?)");
  minute.run(ago({ hours: 7 * 24 + 1 }), `old${suffix}`);
  minute.run(ago({ hours: 6 * 24 }), `kept${suffix}`);
  const audit = handle.prepare("insert into river_fleet_audit (created_at, actor, action) values (?, 'operator', ?)");
  audit.run(ago({ hours: 30 * 24 + 1 }), `old${suffix}`);
  audit.run(ago({ hours: 29 * 24 }), `kept${suffix}`);
  handle.close();
}

function left({ rows }: FleetOnSqlite): unknown[][] {
  const names = (sql: string): unknown[] => rows(sql).flatMap((row) => Object.values(row));
  return [
    names("select client_id from river_fleet_client where host = 'h' order by 1"),
    names("select kind from river_fleet_minute order by 1"),
    names("select action from river_fleet_audit where actor = 'operator' order by 1"),
  ];
}

test("the leader deletes silent clients, old minutes and old entries, and does so again every ten minutes", async (t) => {
  const fleet = await fleetOnSqlite(t);
  const { clock, client, until } = fleet;
  addOldRows(fleet);
  const { start } = await client({ client: { leaderElectionDisabled: false } });
  const run = await start();
  await until(() => !left(fleet)[1]?.includes("old"), 10 * HEARTBEAT_MS);
  assert.deepEqual(left(fleet), [["late"], ["kept"], ["kept"]]);
  addOldRows(fleet, " 2");
  await clock.advance(CLEAN_MS / 2);
  assert.deepEqual(left(fleet)[1], ["kept", "kept 2", "old 2"]);
  await until(() => !left(fleet)[1]?.includes("old 2"), CLEAN_MS);
  const [clients, ...others] = left(fleet);
  assert.ok(!clients?.includes("late") && !clients?.includes("silent 2"), String(clients));
  assert.deepEqual(others, [
    ["kept", "kept 2"],
    ["kept", "kept 2"],
  ]);
  await advanceUntil(clock, run.stop());
});

test("retentions are options, and a client that does not lead deletes nothing", async (t) => {
  const fleet = await fleetOnSqlite(t);
  const { clock, client, until } = fleet;
  addOldRows(fleet);
  const retentions = { auditRetention: { days: 1 }, clientRetention: { minutes: 2 }, minuteRetention: { hours: 1 } };
  const follower = await client({ client: { fleet: retentions } });
  const followerRun = await follower.start();
  await clock.advance(3 * HEARTBEAT_MS);
  assert.deepEqual(left(fleet), [
    ["late", "silent"],
    ["kept", "old"],
    ["kept", "old"],
  ]);
  const leader = await client({ client: { fleet: retentions, leaderElectionDisabled: false } });
  const leaderRun = await leader.start();
  await until(() => left(fleet)[2]?.length === 0, 10 * HEARTBEAT_MS);
  assert.deepEqual(left(fleet), [[], [], []]);
  await advanceUntil(clock, Promise.all([followerRun.stop(), leaderRun.stop()]));
});

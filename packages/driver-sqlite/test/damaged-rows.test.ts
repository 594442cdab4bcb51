/** Rows that somebody damaged: they cost their neighbours nothing and can still be brought to an end. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  claim,
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  lead,
  newJob,
  read,
  settle,
} from "./fixture/driver-fixture.ts";

const ERROR = '{"at":"2024-05-01T12:34:56Z","attempt":1,"error":"boom","trace":""}';
test("a list of clients that is damaged while the job runs leaves the attempt number to decide", async (t) => {
  const { driver, database } = await driverFixture(t);
  await insert(driver, {}, {});
  const [a, b] = await claim(driver);
  assert.ok(a && b);
  const ends = [endOf(a), endOf(b, { metadata: '{"output":1}' })];
  database.exec("UPDATE river_job SET attempted_by = 'garbage'");
  const settled = await driver.jobs.settle({ settlements: ends, wantRows: false });
  assert.deepEqual(
    settled.map(({ outcome }) => outcome),
    ["settled", "settled"],
  );
});

test("damaged metadata is left in place by cancel, retry, update and rescue", async (t) => {
  const { driver, database } = await driverFixture(t);
  const { id } = await insertOne(driver);
  database.exec("UPDATE river_job SET metadata = 'garbage', errors = 'broken'");
  const metadata = (): unknown => database.prepare("SELECT metadata FROM river_job").get()?.["metadata"];
  assert.equal((await driver.jobs.cancel({ id, requestedAt: fromNow(0) })).outcome, "done");
  assert.equal((await driver.jobs.retry({ id })).outcome, "done");
  assert.equal((await driver.jobs.update({ id, metadata: '{"a":1}' }))?.id, id);
  await claimOne(driver);
  const term = await lead(driver);
  const rescue = {
    id,
    state: "retryable",
    finalizedAt: null,
    scheduledAt: null,
    error: ERROR,
    metadata: '{"river:rescue_count":1}',
  } as const;
  assert.equal(await driver.jobs.rescue({ term, horizon: fromNow(60_000), rescues: [rescue] }), 1);
  assert.equal(metadata(), "garbage");
  assert.deepEqual(JSON.parse((await read(driver, id)).errors), ["broken", JSON.parse(ERROR)]);
});

test("text JSON and JSON with repeated keys, large numbers and escapes come out as they went in", async (t) => {
  const { driver, database } = await driverFixture(t);
  const text = '{"__proto__":{"x":1},"":1,"a":1,"a":2,"n":-0,"e":1E+2,"big":1e400,"s":"\\u0041\\ud83d\\ude00"}';
  database.prepare("INSERT INTO river_job (kind, args, metadata) VALUES ('k', ?, jsonb(?))").run(text, text);
  const job = await claimOne(driver);
  assert.equal(job.args, text);
  assert.equal(job.metadata, text);
  const settled = await settle(driver, endOf(job, { metadata: '{"a":3}' }), true);
  assert.equal(settled.job?.metadata, text.replace('"a":1,"a":2,', "").replace(/}$/, ',"a":3}'));
});

test("rows of an attempt that Go wrote are read in every form of time", async (t) => {
  const { driver, database } = await driverFixture(t);
  const { id } = await insertOne(driver);
  const forms: [string, string][] = [
    ["2026-08-07 19:32:57.123", "2026-08-07T19:32:57.123Z"],
    ["2026-08-07 19:32:57.5", "2026-08-07T19:32:57.5Z"],
    ["2026-08-07 19:32:57", "2026-08-07T19:32:57Z"],
    ["2026-08-07 19:32:57.123456789 +0000 UTC", "2026-08-07T19:32:57.123456789Z"],
    ["2026-08-07 21:32:57.12 +0200 CEST", "2026-08-07T19:32:57.12Z"],
    ["2026-08-07 16:32:57.12 -0300 -03", "2026-08-07T19:32:57.12Z"],
    ["2026-08-07 19:32:57.123456789 +0000 UTC m=+12.345678901", "2026-08-07T19:32:57.123456789Z"],
    ["2026-08-08 01:17:57.1 +0545 +0545 m=-0.5", "2026-08-07T19:32:57.1Z"],
    ["2026-08-07 19:32:57.123456789+00:00", "2026-08-07T19:32:57.123456789Z"],
    ["2026-08-07T19:32:57Z", "2026-08-07T19:32:57Z"],
  ];
  for (const [stored, expected] of forms) {
    database.prepare("UPDATE river_job SET scheduled_at = ? WHERE id = ?").run(stored, id);
    assert.equal((await read(driver, id)).scheduledAt.toString(), expected, stored);
  }
  for (const stored of ["soon", "2026-13-07 19:32:57", ""]) {
    database.prepare("UPDATE river_job SET scheduled_at = ? WHERE id = ?").run(stored, id);
    const job = await read(driver, id);
    assert.throws(() => job.scheduledAt, { code: "database" }, stored);
  }
});

test("times are written in the canonical form only: T1 T2 T3 T4 T5", async (t) => {
  const { driver, database } = await driverFixture(t);
  const forms: [string, string][] = [
    ["2024-05-01T12:34:56.789499999Z", "2024-05-01 12:34:56.789"],
    ["2024-05-01T12:34:56.7895Z", "2024-05-01 12:34:56.790"],
    ["2024-05-01T12:34:56.9995Z", "2024-05-01 12:34:57.000"],
    ["2024-05-01T14:34:56.5+02:00", "2024-05-01 12:34:56.500"],
    ["2024-05-01T12:34:56Z", "2024-05-01 12:34:56.000"],
    ["1969-12-31T23:59:59.9995Z", "1970-01-01 00:00:00.000"],
  ];
  for (const [instant, text] of forms) {
    const { id } = await insertOne(driver, { scheduledAt: Temporal.Instant.from(instant) });
    assert.equal(database.prepare("SELECT scheduled_at AS at FROM river_job WHERE id = ?").get(id)?.["at"], text);
  }
  const job = await claimOne(driver);
  await settle(driver, endOf(job));
  const canonical = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/;
  const row =
    database.prepare("SELECT created_at, attempted_at, finalized_at FROM river_job WHERE id = ?").get(job.id) ?? {};
  for (const value of Object.values(row)) assert.match(String(value), canonical);
  const far = {
    jobs: [newJob({ scheduledAt: Temporal.Instant.from("+010000-01-01T00:00:00Z") })],
    notices: [],
    durability: "default",
  } as const;
  await assert.rejects(driver.jobs.insert(far), { code: "validation" });
});

test("a term that cannot be read is an error of the database", async (t) => {
  const { driver, database } = await driverFixture(t);
  database.exec("INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('x', 'garbage', 'garbage')");
  await assert.rejects(driver.leader.current(), { code: "database" });
});

test("a term elected by an older client, with fewer digits, is renewed all the same", async (t) => {
  const { driver, database } = await driverFixture(t);
  database.exec(
    "INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('go', '2030-01-01 00:00:00.5', '2099-01-01 00:00:00.000')",
  );
  const term = await driver.leader.current();
  assert.equal(term?.electedAt.toString(), "2030-01-01T00:00:00.5Z");
  assert.ok(await driver.leader.renew({ term, ttlMs: 15_000 }));
});

/** Rows that the database refuses to change, where only Postgres can refuse: at the commit, and behind a position. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { type LeasedPostgresDatabase, postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { claim, driverFixture, endOf, fromNow, insert, insertOne, lead, read } from "./fixture/driver-fixture.ts";

failOnLeaks();

const CLAIM = { queue: "default", clientId: "c", kinds: null } as const;
const REFUSED = { kind: "refused" } as const;

/** Changes and deletions of refused rows fail, unless `timing` says otherwise at the end of the statement. */
async function refuse(lease: LeasedPostgresDatabase, timing: string): Promise<void> {
  await lease.query(`CREATE FUNCTION app_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE foreign_key_violation; END $$`);
  await lease.query(`CREATE CONSTRAINT TRIGGER app_refuse AFTER UPDATE OR DELETE ON river_job ${timing}
    FOR EACH ROW WHEN (OLD.kind = 'refused') EXECUTE FUNCTION app_refuse()`);
}

test("constraints that are checked at the commit cost only the rows that they refuse", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const term = await lead(driver);
  await insert(driver, {}, REFUSED, {});
  const old = await claim(driver);
  const settlements = old.map((job) => endOf(job, { finalizedAt: fromNow(-60_000) }));
  await driver.jobs.settle({ settlements, wantRows: false });
  const due = { state: "scheduled", scheduledAt: fromNow(-60_000) } as const;
  const [, refused] = await insert(driver, due, { ...due, ...REFUSED }, due);
  await refuse(lease, "DEFERRABLE INITIALLY DEFERRED");
  const noted: bigint[] = [];
  const refusals = { known: noted, note: (id: bigint) => void noted.push(id) };
  const before = { cancelledBefore: null, completedBefore: fromNow(0), discardedBefore: null };
  assert.equal(await driver.jobs.deleteFinalized({ term, ...before, limit: 9, refusals }), 2);
  const at = { dueBy: fromNow(0), passAt: fromNow(0), noticeBy: fromNow(0), limit: 9, noticesFor: () => [] };
  assert.equal((await driver.jobs.promote({ term, ...at, refusals }))?.promoted, 2);
  const available = await insertOne(driver, REFUSED);
  assert.equal((await driver.jobs.claim({ ...CLAIM, limit: 9, hint: null, refusals })).jobs.length, 2);
  assert.deepEqual(noted, [old[1]?.id, refused?.id, available.id]);
});

test("claims go on behind the last one around refused rows, and lose nothing when the front is refused", async (t) => {
  const { driver, lease } = await driverFixture(t);
  t.mock.method(performance, "now", () => 0);
  await insert(driver, ...Array.from({ length: 1_004 }, () => ({ priority: 2 })));
  const { hint } = await driver.jobs.claim({ ...CLAIM, limit: 1_000, hint: null });
  assert.ok(hint);
  const behind = await insertOne(driver, { ...REFUSED, priority: 3 });
  const front = await insertOne(driver, { ...REFUSED, priority: 1 });
  await refuse(lease, "");
  const known: bigint[] = [];
  const refusals = { known, note: (id: bigint) => void known.push(id) };
  known.push(behind.id);
  // Resumes, since the row at the front would be refused and is not.
  const resumed = await driver.jobs.claim({ ...CLAIM, limit: 1, hint, refusals });
  assert.deepEqual([resumed.jobs.length, known.length], [1, 1]);
  // Three are left behind the position, then the front is asked: its refusal must not lose the three.
  const rest = await driver.jobs.claim({ ...CLAIM, limit: 9, hint: resumed.hint, refusals });
  assert.deepEqual([rest.jobs.length, rest.hint, known.length], [3, null, 1]);
  assert.equal((await driver.jobs.claim({ ...CLAIM, limit: 9, hint: null, refusals })).jobs.length, 0);
  assert.deepEqual(known, [behind.id, front.id]);
  assert.equal((await read(driver, front.id)).state, "available");
});

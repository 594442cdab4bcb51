/** Who may write the end of an attempt, what a request to cancel makes of it, and rows that others hold. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import type { Settlement } from "riverqueue/driver";
import {
  claim,
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  read,
  settle,
  stateOf,
} from "./fixture/driver-fixture.ts";

failOnLeaks();

for (const overrides of [{}, { metadata: '{"output":1}' }, { deleteRow: true }] as const) {
  const what = Object.keys(overrides)[0] ?? "plain";

  test(`${what}: a row claimed again, by another client or under another number, is superseded`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    await insert(driver, {}, {});
    const [a, b] = await claim(driver);
    assert.ok(a && b);
    await lease.query("UPDATE river_job SET attempt = 2 WHERE id = $1", [a.id]);
    await lease.query("UPDATE river_job SET attempted_by = '{client-1,client-2}' WHERE id = $1", [b.id]);
    const settlements = [endOf(a, overrides), endOf(b, overrides)];
    const settled = await driver.jobs.settle({ settlements, wantRows: false });
    assert.deepEqual(
      settled.map(({ outcome, state }) => [outcome, state]),
      [
        ["superseded", "running"],
        ["superseded", "running"],
      ],
    );
    for (const { id } of [a, b]) assert.equal((await read(driver, id)).metadata, "{}");
  });

  test(`${what}: a row that left running keeps its state, only metadata is merged`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    const { id } = await insertOne(driver, { metadata: '{"m":1}' });
    const job = await claimOne(driver);
    await lease.query("UPDATE river_job SET state = 'available' WHERE id = $1", [id]);
    const settled = await settle(driver, endOf(job, overrides));
    assert.deepEqual([settled.outcome, settled.state], ["merged", "available"]);
    assert.equal(settled.job?.metadata, "metadata" in overrides ? '{"m": 1, "output": 1}' : '{"m": 1}');
  });

  test(`${what}: a deleted row is missing`, async (t) => {
    const { driver } = await driverFixture(t);
    await insertOne(driver);
    const job = await claimOne(driver);
    await driver.jobs.settle({ settlements: [endOf(job, { deleteRow: true })], wantRows: false });
    const settled = await settle(driver, endOf(job, overrides));
    assert.deepEqual(settled, { id: job.id, outcome: "missing", state: null, job: null });
  });

  test(`C24 ${what}: a locked row is reported and delays nobody; once free it is settled`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    await insert(driver, ...Array.from({ length: 100 }, () => ({})));
    const jobs = await claim(driver);
    const holder = await lease.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [jobs[2]?.id]);
    const settlements = jobs.map((job) => endOf(job, overrides));
    const settled = await driver.jobs.settle({ settlements, wantRows: false });
    assert.deepEqual(
      settled.map(({ id, outcome }) => [id, outcome]),
      jobs.map(({ id }, index) => [id, index === 2 ? "locked" : "settled"]),
    );
    await holder.query("ROLLBACK");
    const [again] = await driver.jobs.settle({ settlements: settlements.slice(2, 3), wantRows: false });
    assert.equal(again?.outcome, "settled");
  });
}

test("C18 one batch: its own outcome for each row, whatever happened to the neighbours", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insert(driver, {}, {}, {}, {}, {});
  const jobs = await claim(driver);
  await lease.query("DELETE FROM river_job WHERE id = $1", [jobs[1]?.id]);
  const cancelled = "UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE id = $1";
  await lease.query(cancelled, [jobs[2]?.id]);
  const settlements = jobs.map((job, index) => endOf(job, index === 4 ? {} : { metadata: `{"output":${index}}` }));
  const settled = await driver.jobs.settle({ settlements, wantRows: true });
  assert.deepEqual(
    settled.map(({ outcome, state, job }) => [outcome, state, job?.metadata]),
    [
      ["settled", "completed", '{"output": 0}'],
      ["missing", null, undefined],
      ["merged", "cancelled", '{"output": 2}'],
      ["settled", "completed", '{"output": 3}'],
      ["settled", "completed", "{}"],
    ],
  );
});

for (const [what, bad, sqlstate] of [
  ["a NUL", '{"output":"a\\u0000b"}', "22P05"],
  ["half a surrogate pair", '{"output":"\\ud800"}', "22P02"],
  ["no JSON", '{"output":', "22P02"],
  ["too deep nesting", `{"output":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "54001"],
  ["a number too large", '{"output":1e200000}', "22003"],
] as const) {
  test(`C02 ${what} in one row spoils the batch as a whole, and the error says that a row caused it`, async (t) => {
    const { driver } = await driverFixture(t);
    await insert(driver, {}, {});
    const [a, b] = await claim(driver);
    assert.ok(a && b);
    const settlements = [endOf(a), endOf(b, { metadata: bad })];
    await assert.rejects(driver.jobs.settle({ settlements, wantRows: false }), (error: Record<string, unknown>) => {
      assert.deepEqual([error["code"], error["retryable"]], ["database", false]);
      const details = error["details"] as Record<string, unknown>;
      assert.deepEqual([details["sqlstate"], details["rowCaused"]], [sqlstate, true]);
      assert.doesNotMatch(String(error["message"]) + JSON.stringify(error["cause"]), /output|surrogate|select/i);
      return true;
    });
    for (const { id } of [a, b]) assert.equal((await read(driver, id)).state, "running");
    assert.equal((await settle(driver, endOf(a))).outcome, "settled");
  });
}

const marked: readonly [Settlement["state"], Settlement["state"]][] = [
  ["available", "cancelled"],
  ["retryable", "cancelled"],
  ["scheduled", "cancelled"],
  ["completed", "completed"],
  ["discarded", "discarded"],
  ["cancelled", "cancelled"],
];
for (const [wanted, stored] of marked) {
  test(`a row with a cancel mark that would become ${wanted} becomes ${stored}`, async (t) => {
    const { driver, lease } = await driverFixture(t);
    const { id } = await insertOne(driver);
    const job = await claimOne(driver);
    await lease.query(`UPDATE river_job SET metadata = '{"cancel_attempted_at": null}' WHERE id = $1`, [id]);
    const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
    const error = { at: "2024-05-01T12:34:56Z", attempt: 1, error: "boom", trace: "" };
    const change = { state: wanted, newAttempt: 0, scheduledAt: fromNow(60_000), error: JSON.stringify(error) };
    const [settled] = await driver.jobs.settle({ settlements: [endOf(job, change)], wantRows: false }, { now });
    assert.equal(settled?.state, stored);
    const row = await read(driver, id);
    assert.equal(row.state, stored);
    assert.deepEqual(JSON.parse(row.errors), [error]);
    assert.ok(row.finalizedAt);
    if (wanted === stored) return;
    assert.equal(row.finalizedAt.toString(), now.toString());
    assert.equal(row.attempt, 1);
    assert.equal(row.scheduledAt.toString(), job.scheduledAt.toString());
  });
}

test("a mixed batch is written as a whole or not at all", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insert(driver, {}, {}, {});
  const [a, b, c] = await claim(driver);
  assert.ok(a && b && c);
  const bad = [endOf(a), endOf(b, { metadata: '{"a":1}' }), endOf(c, { error: "no JSON" })];
  await assert.rejects(driver.jobs.settle({ settlements: bad, wantRows: false }), { code: "database" });
  for (const { id } of [a, b, c]) assert.equal(await stateOf(lease, id), "running");
  const settlements = [endOf(a), endOf(b, { metadata: '{"a":1}' }), endOf(c, { state: "discarded", deleteRow: false })];
  const settled = await driver.jobs.settle({ settlements, wantRows: false });
  assert.deepEqual(
    settled.map(({ id, state }) => [id, state]),
    [
      [a.id, "completed"],
      [b.id, "completed"],
      [c.id, "discarded"],
    ],
  );
});

test("a settlement that clients of one batch share is written for each of them", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {}, {});
  const jobs = [await claimOne(driver, "a"), await claimOne(driver, "b")];
  const settled = await driver.jobs.settle({ settlements: jobs.map((job) => endOf(job)), wantRows: false });
  assert.deepEqual(
    settled.map(({ outcome }) => outcome),
    ["settled", "settled"],
  );
});

for (const overrides of [{}, { metadata: '{"output":1}' }, { deleteRow: true }] as const) {
  test(`many ends of one attempt at the same time: one is written, ${JSON.stringify(overrides)}`, async (t) => {
    const { driver } = await driverFixture(t);
    await insertOne(driver);
    const job = await claimOne(driver);
    const ends = Array.from({ length: 8 }, () => settle(driver, endOf(job, overrides)));
    const outcomes = (await Promise.all(ends)).map(({ outcome }) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === "settled").length, 1);
    const gone = "deleteRow" in overrides ? "missing" : "merged";
    assert.ok(outcomes.every((outcome) => ["settled", "locked", gone].includes(outcome)));
    assert.equal((await settle(driver, endOf(job, overrides))).outcome, gone);
  });
}

/** Who may write the end of an attempt, and what a request to cancel makes of it. */
import assert from "node:assert/strict";
import test from "node:test";
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
} from "./fixture/driver-fixture.ts";

const WITH_OUTPUT = { metadata: '{"output":1}' };

for (const overrides of [{}, WITH_OUTPUT] as const) {
  const what = "metadata" in overrides ? "with output" : "plain";

  test(`${what}: a row claimed again, by another client or under another number, is superseded`, async (t) => {
    const { driver, database } = await driverFixture(t);
    await insert(driver, {}, {});
    const [a, b] = await claim(driver);
    assert.ok(a && b);
    database.prepare("UPDATE river_job SET attempt = 2 WHERE id = ?").run(a.id);
    database.prepare('UPDATE river_job SET attempted_by = jsonb(\'["client-1","client-2"]\') WHERE id = ?').run(b.id);
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
    const { driver, database } = await driverFixture(t);
    const { id } = await insertOne(driver, { metadata: '{"m":1}' });
    const job = await claimOne(driver);
    database.prepare("UPDATE river_job SET state = 'available' WHERE id = ?").run(id);
    const settled = await settle(driver, endOf(job, overrides));
    assert.deepEqual([settled.outcome, settled.state], ["merged", "available"]);
    assert.equal(settled.job?.metadata, "metadata" in overrides ? '{"m":1,"output":1}' : '{"m":1}');
  });

  test(`${what}: a deleted row is missing`, async (t) => {
    const { driver } = await driverFixture(t);
    await insertOne(driver);
    const job = await claimOne(driver);
    await driver.jobs.settle({ settlements: [endOf(job, { deleteRow: true })], wantRows: false });
    assert.deepEqual(await settle(driver, endOf(job, overrides)), {
      id: job.id,
      outcome: "missing",
      state: null,
      job: null,
    });
  });
}

test("C18 one batch: its own outcome for each row, whatever happened to the neighbours", async (t) => {
  const { driver, database } = await driverFixture(t);
  await insert(driver, {}, {}, {}, {});
  const jobs = await claim(driver);
  database.prepare("DELETE FROM river_job WHERE id = ?").run(jobs[1]?.id ?? 0n);
  const cancel = "UPDATE river_job SET state = 'cancelled', finalized_at = '2026-01-01 00:00:00.000' WHERE id = ?";
  database.prepare(cancel).run(jobs[2]?.id ?? 0n);
  const settlements = jobs.map((job, index) => endOf(job, { metadata: `{"output":${index}}` }));
  const settled = await driver.jobs.settle({ settlements, wantRows: true });
  assert.deepEqual(
    settled.map(({ outcome, state }) => [outcome, state]),
    [
      ["settled", "completed"],
      ["missing", null],
      ["merged", "cancelled"],
      ["settled", "completed"],
    ],
  );
  assert.deepEqual(
    settled.map(({ job }) => job?.metadata),
    ['{"output":0}', undefined, '{"output":2}', '{"output":3}'],
  );
});

test("one bad value spoils the batch as a whole, and the error says that a row caused it", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {}, {});
  const [a, b] = await claim(driver);
  assert.ok(a && b);
  const tooDeep = `{"output":${"[".repeat(2_000)}${"]".repeat(2_000)}}`;
  const settlements = [endOf(a), endOf(b, { metadata: tooDeep })];
  await assert.rejects(driver.jobs.settle({ settlements, wantRows: false }), (error: Record<string, unknown>) => {
    assert.deepEqual([error["code"], error["retryable"]], ["database", false]);
    const details = error["details"] as Record<string, unknown>;
    assert.deepEqual([details["reason"], details["rowCaused"]], ["malformed", true]);
    return true;
  });
  for (const { id } of [a, b]) assert.equal((await read(driver, id)).state, "running");
  assert.equal((await settle(driver, endOf(a))).outcome, "settled");
});

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
    const { driver, database } = await driverFixture(t);
    const { id } = await insertOne(driver);
    const job = await claimOne(driver);
    database.prepare("UPDATE river_job SET metadata = jsonb('{\"cancel_attempted_at\":null}') WHERE id = ?").run(id);
    const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
    const error = '{"at":"2024-05-01T12:34:56Z","attempt":1,"error":"boom","trace":""}';
    const change = { state: wanted, newAttempt: 0, scheduledAt: fromNow(60_000), error };
    const [settled] = await driver.jobs.settle({ settlements: [endOf(job, change)], wantRows: false }, { now });
    assert.equal(settled?.state, stored);
    const row = await read(driver, id);
    assert.equal(row.state, stored);
    assert.equal(row.errors, `[${error}]`);
    assert.ok(row.finalizedAt);
    if (wanted === stored) return;
    assert.equal(row.finalizedAt.toString(), now.toString());
    assert.equal(row.attempt, 1);
    assert.equal(row.scheduledAt.toString(), job.scheduledAt.toString());
  });
}

test("cancel marks a running job, finalizes any other, leaves finalized ones, and tells every client", async (t) => {
  const { driver, database } = await driverFixture(t);
  const [running, waiting, done] = await insert(driver, {}, { state: "pending" }, { scheduledAt: fromNow(60_000) });
  assert.ok(running && waiting && done);
  await claimOne(driver);
  database
    .prepare("UPDATE river_job SET state = 'completed', finalized_at = '2026-01-01 00:00:00.000' WHERE id = ?")
    .run(done.id);
  const requestedAt = Temporal.Instant.from("2999-08-07T10:00:00.123456789Z");
  const outcomes = [];
  for (const { id } of [running, waiting, done]) outcomes.push(await driver.jobs.cancel({ id, requestedAt }));
  const states = outcomes.map((result) => (result.outcome === "done" ? result.job.state : result.outcome));
  assert.deepEqual(states, ["running", "cancelled", "completed"]);
  const metadata = '{"cancel_attempted_at":"2999-08-07T10:00:00.123456789Z"}';
  assert.deepEqual((await read(driver, running.id)).metadata, metadata);
  assert.deepEqual((await read(driver, waiting.id)).metadata, metadata);
  assert.deepEqual((await read(driver, done.id)).metadata, "{}");
  assert.deepEqual(await driver.jobs.cancel({ id: 99n, requestedAt }), { outcome: "missing" });
  const payloads = database
    .prepare("SELECT payload FROM river_notification ORDER BY id")
    .all()
    .map(({ payload }) => payload);
  assert.deepEqual(
    payloads,
    [running, waiting].map(({ id }) => `{"action":"cancel","job_id":${id},"queue":"default"}`),
  );
});

test("only a cancel mark that is not older than the claim counts for the attempt", async (t) => {
  const { driver, database } = await driverFixture(t);
  await insert(driver, {}, {}, {}, {}, {});
  const jobs = await claim(driver);
  const at = jobs[0]?.attemptedAt;
  assert.ok(at);
  const marks = [
    JSON.stringify(at.toString()),
    JSON.stringify(at.add({ milliseconds: 1 }).toZonedDateTimeISO("+05:30").toString({ timeZoneName: "never" })),
    JSON.stringify(at.subtract({ milliseconds: 1 }).toString()),
    "null",
  ];
  const mark = database.prepare(
    "UPDATE river_job SET metadata = jsonb_set(metadata, '$.cancel_attempted_at', jsonb(?)) WHERE id = ?",
  );
  for (const [index, text] of marks.entries()) mark.run(text, jobs[index]?.id ?? 0n);
  const ids = jobs.map(({ id }) => id);
  const requested = await driver.jobs.cancelRequested({ clientId: "client-1", ids });
  assert.deepEqual(new Set(requested), new Set(ids.slice(0, 2)));
  assert.deepEqual(await driver.jobs.cancelRequested({ clientId: "client-2", ids }), []);
  assert.deepEqual(await driver.jobs.cancelRequested({ clientId: "client-1", ids: [] }), []);
});

test("retry takes back the cancel mark, adds an attempt when none is left, and keeps the place of a due job", async (t) => {
  const { driver } = await driverFixture(t);
  const { id } = await insertOne(driver, { maxAttempts: 1, metadata: '{"a":1}' });
  const job = await claimOne(driver);
  await driver.jobs.cancel({ id, requestedAt: fromNow(0) });
  assert.equal((await driver.jobs.retry({ id })).outcome, "done");
  assert.equal((await read(driver, id)).state, "running");
  await settle(driver, endOf(job, { state: "discarded", finalizedAt: fromNow(0) }));
  const now = fromNow(60_000);
  const retried = await driver.jobs.retry({ id }, { now });
  assert.ok(retried.outcome === "done");
  const { state, attempt, maxAttempts, finalizedAt, metadata, scheduledAt } = retried.job;
  assert.deepEqual([state, attempt, maxAttempts, finalizedAt], ["available", 1, 2, null]);
  assert.deepEqual(Object.keys(JSON.parse(metadata)), ["a"]);
  assert.equal(scheduledAt.epochMilliseconds, now.epochMilliseconds);
  await driver.jobs.retry({ id }, { now: now.add({ seconds: 5 }) });
  assert.equal((await read(driver, id)).scheduledAt.toString(), scheduledAt.toString());
  await driver.jobs.retry({ id });
  assert.notEqual((await read(driver, id)).scheduledAt.toString(), scheduledAt.toString());
  assert.deepEqual(await driver.jobs.retry({ id: 99n }), { outcome: "missing" });
});

test("update merges metadata at its top level in any state", async (t) => {
  const { driver } = await driverFixture(t);
  const { id } = await insertOne(driver, { metadata: '{"a":{"b":1,"c":2},"x":1}' });
  const job = await driver.jobs.update({ id, metadata: '{"a":{"b":3},"x":null,"we\\"ird.key":9007199254740993}' });
  assert.equal(job?.metadata, '{"a":{"b":3},"x":null,"we\\"ird.key":9007199254740993}');
  assert.equal(await driver.jobs.update({ id: 99n, metadata: "{}" }), null);
});

test("a running job is not deleted, neither alone nor among many", async (t) => {
  const { driver } = await driverFixture(t);
  const [a, b, c] = await insert(driver, {}, { kind: "k2" }, { kind: "k2" });
  assert.ok(a && b && c);
  const running = await claimOne(driver);
  assert.deepEqual(await driver.jobs.delete({ id: running.id }), { outcome: "running" });
  const many = await driver.jobs.deleteMany({ filter: { ids: [a.id, c.id, b.id] }, limit: 1 });
  assert.deepEqual(
    many.map(({ id }) => id),
    [b.id],
  );
  const single = await driver.jobs.delete({ id: c.id });
  assert.ok(single.outcome === "done" && single.job.kind === "k2");
  assert.deepEqual(await driver.jobs.delete({ id: c.id }), { outcome: "missing" });
  assert.deepEqual(await driver.jobs.deleteMany({ filter: { kinds: [] }, limit: 9 }), []);
  assert.equal((await read(driver, running.id)).state, "running");
});

test("C14 a request to cancel that waited for the lock reaches a job that was claimed meanwhile", async (t) => {
  const { driver } = await driverFixture(t);
  const { id } = await insertOne(driver);
  const requestedAt = fromNow(-1_000);
  await claimOne(driver);
  await driver.jobs.cancel({ id, requestedAt });
  assert.deepEqual(await driver.jobs.cancelRequested({ clientId: "client-1", ids: [id] }), [id]);
});

/** A job's way through the driver: inserted, claimed, settled, read. */
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
  newJob,
  read,
  settle,
} from "./fixture/driver-fixture.ts";

test("an inserted job is answered as it is stored", async (t) => {
  const { driver } = await driverFixture(t);
  const scheduledAt = Temporal.Instant.from("2030-01-02T03:04:05.6785Z");
  const job = await insertOne(driver, {
    kind: "mail",
    queue: "q1",
    state: "scheduled",
    priority: 3,
    maxAttempts: 7,
    args: '{"n":9007199254740993,"x":1.0,"u":"\\u00e9"}',
    metadata: '{"m":1e400}',
    tags: ["one", "two"],
    scheduledAt,
    uniqueKey: new Uint8Array(32).fill(9),
    uniqueStates: 245,
  });
  const stored = await read(driver, job.id);
  for (const key of [
    "id",
    "kind",
    "queue",
    "state",
    "priority",
    "attempt",
    "maxAttempts",
    "args",
    "metadata",
    "errors",
    "tags",
    "attemptedBy",
    "attemptedAt",
    "finalizedAt",
    "uniqueKey",
    "uniqueStates",
  ] as const) {
    assert.deepEqual(stored[key], job[key], key);
  }
  assert.equal(stored.createdAt.toString(), job.createdAt.toString());
  assert.equal(stored.scheduledAt.toString(), "2030-01-02T03:04:05.679Z");
  assert.equal(job.scheduledAt.toString(), "2030-01-02T03:04:05.679Z");
  assert.equal(stored.args, '{"n":9007199254740993,"x":1.0,"u":"\\u00e9"}');
});

test("an empty insertion, settlement or update touches nothing", async (t) => {
  const { driver } = await driverFixture(t);
  driver.close();
  assert.deepEqual(await driver.jobs.insert({ jobs: [], notices: [], durability: "default" }), []);
  assert.deepEqual(await driver.jobs.settle({ settlements: [], wantRows: true }), []);
});

test("a claim takes due jobs of its queue by priority, time and ID", async (t) => {
  const { driver } = await driverFixture(t);
  const jobs = await insert(
    driver,
    { priority: 2 },
    { priority: 1 },
    { priority: 1, scheduledAt: fromNow(-60_000) },
    { queue: "other" },
    { scheduledAt: fromNow(60_000) },
    { state: "pending" },
    { state: "scheduled", scheduledAt: fromNow(-60_000) },
  );
  const first = await claim(driver, 2);
  assert.deepEqual(
    first.map(({ id }) => id),
    [jobs[1]?.id, jobs[2]?.id],
  );
  assert.deepEqual(
    (await claim(driver)).map(({ id }) => id),
    [jobs[0]?.id],
  );
  const [claimed] = first;
  assert.equal(claimed?.state, "running");
  assert.equal(claimed?.attempt, 1);
  assert.deepEqual(claimed?.attemptedBy, ["client-1"]);
  assert.ok(claimed?.attemptedAt);
});

test("a claim of known kinds leaves the others alone", async (t) => {
  const { driver } = await driverFixture(t);
  const [, b] = await insert(driver, { kind: "a1" }, { kind: "b1" });
  const { jobs } = await driver.jobs.claim({ queue: "default", clientId: "c", limit: 9, kinds: ["b1"], hint: null });
  assert.deepEqual(
    jobs.map(({ id }) => id),
    [b?.id],
  );
});

test("a test's clock takes the place of the database's", async (t) => {
  const { driver } = await driverFixture(t);
  const now = Temporal.Instant.from("2001-02-03T04:05:06.789Z");
  const [inserted] = await driver.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" }, { now });
  assert.equal(inserted?.job.scheduledAt.toString(), now.toString());
  const params = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null };
  assert.equal((await driver.jobs.claim(params, { now: now.subtract({ milliseconds: 1 }) })).jobs.length, 0);
  const { jobs } = await driver.jobs.claim(params, { now });
  assert.equal(jobs[0]?.attemptedAt?.toString(), now.toString());
});

for (const [earlier, dropped] of [
  [0, 0],
  [99, 0],
  [100, 1],
  [150, 51],
] as const) {
  test(`attempted_by keeps its last 100 entries: ${earlier} before`, async (t) => {
    const { driver, database } = await driverFixture(t);
    const { id } = await insertOne(driver);
    const clients = Array.from({ length: earlier }, (_, index) => `c${index}`);
    database.prepare("UPDATE river_job SET attempted_by = jsonb(?) WHERE id = ?").run(JSON.stringify(clients), id);
    const job = await claimOne(driver, "last");
    assert.deepEqual(job.attemptedBy, [...clients.slice(dropped), "last"]);
  });
}

test("plain completions are written in bulk, rows only on demand", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, ...Array.from({ length: 20 }, () => ({})));
  const jobs = await claim(driver, 10);
  const finalizedAt = Temporal.Instant.from("2026-08-07T10:00:00.1234Z");
  const settled = await driver.jobs.settle({
    settlements: jobs.map((job) => endOf(job, { finalizedAt })),
    wantRows: false,
  });
  assert.deepEqual(
    settled.map(({ id, outcome, state, job }) => ({ id, outcome, state, job })),
    jobs.map(({ id }) => ({ id, outcome: "settled", state: "completed", job: null })),
  );
  assert.equal((await read(driver, jobs[0]?.id ?? 0n)).finalizedAt?.toString(), "2026-08-07T10:00:00.123Z");
  const more = await claim(driver, 10);
  const withRows = await driver.jobs.settle({
    settlements: more.map((job) => endOf(job)).toReversed(),
    wantRows: true,
  });
  assert.deepEqual(
    withRows.map(({ job }) => job?.id),
    more.map(({ id }) => id).toReversed(),
  );
  assert.ok(withRows.every(({ job }) => job?.state === "completed"));
});

test("a completion may delete its row, and the answer shows what would have been stored", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {}, {}, {});
  const [a, b, c] = await claim(driver);
  assert.ok(a && b && c);
  const silent = await settle(driver, endOf(a, { deleteRow: true, metadata: '{"output":1}' }));
  assert.deepEqual([silent.outcome, silent.state, silent.job], ["settled", "completed", null]);
  assert.equal(await driver.jobs.get({ id: a.id }), null);
  const shown = await settle(driver, endOf(b, { deleteRow: true, metadata: '{"output":1}' }), true);
  assert.equal(shown.job?.state, "completed");
  assert.equal(shown.job?.metadata, '{"output":1}');
  assert.equal(await driver.jobs.get({ id: b.id }), null);
  await driver.jobs.settle({ settlements: [endOf(c, { state: "discarded" })], wantRows: false });
  const lost = await settle(driver, endOf(c, { deleteRow: true, metadata: '{"output":2}' }));
  assert.deepEqual([lost.outcome, lost.state, lost.job?.metadata], ["merged", "discarded", '{"output":2}']);
});

test("a settlement writes state, attempt, times, error and metadata", async (t) => {
  const { driver } = await driverFixture(t);
  const { id } = await insertOne(driver, { metadata: '{"keep":{"a":1},"o":{"x":1,"y":2},"n":1.50}' });
  const job = await claimOne(driver);
  const scheduledAt = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const error = '{"at":"2024-05-01T12:34:56.123456789Z","attempt":1,"error":"boom","trace":""}';
  const settled = await settle(
    driver,
    endOf(job, { state: "retryable", scheduledAt, error, metadata: '{"o":{"x":3},"z":null}' }),
  );
  assert.equal(settled.outcome, "settled");
  const stored = await read(driver, id);
  assert.equal(stored.state, "retryable");
  assert.equal(stored.scheduledAt.toString(), scheduledAt.toString());
  assert.equal(stored.errors, `[${error}]`);
  assert.equal(stored.metadata, '{"keep":{"a":1},"n":1.50,"o":{"x":3},"z":null}');
  assert.equal(stored.finalizedAt, null);
});

test("a snooze gives the attempt back", async (t) => {
  const { driver } = await driverFixture(t);
  await insertOne(driver);
  const job = await claimOne(driver);
  const settled = await settle(
    driver,
    endOf(job, { state: "scheduled", newAttempt: 0, scheduledAt: fromNow(60_000), metadata: '{"snoozes":1}' }),
  );
  assert.equal(settled.job?.attempt, 0);
  assert.equal(settled.job?.errors, "[]");
});

test("C07 40,000 jobs are inserted in order, or none of them", async (t) => {
  const { driver, database } = await driverFixture(t);
  const jobs = Array.from({ length: 40_000 }, (_, index) =>
    newJob({ args: `{"n":${index}}`, kind: index % 2 === 0 ? "even" : "odd" }),
  );
  const inserted = await driver.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.equal(inserted.length, jobs.length);
  assert.ok(inserted.every(({ job, duplicate }, index) => !duplicate && job.args === `{"n":${index}}`));
  const stored = database.prepare("SELECT id, json(args) AS args FROM river_job ORDER BY id").all();
  assert.ok(
    stored.every(
      (row, index) => row["args"] === `{"n":${index}}` && BigInt(row["id"] as number) === inserted[index]?.job.id,
    ),
  );
  const spoiled = jobs.with(39_999, newJob({ priority: 9 }));
  await assert.rejects(driver.jobs.insert({ jobs: spoiled, notices: [], durability: "default" }), {
    code: "database",
    retryable: false,
  });
  assert.equal(database.prepare("SELECT count(*) AS n FROM river_job").get()?.["n"], 40_000);
});

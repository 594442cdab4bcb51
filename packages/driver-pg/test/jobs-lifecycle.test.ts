/** A job's way through the driver: inserted, claimed, settled, read. */
import assert from "node:assert/strict";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
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

failOnLeaks();

test("an inserted job is answered as it is stored", async (t) => {
  const { driver } = await driverFixture(t);
  const scheduledAt = Temporal.Instant.from("2030-01-02T03:04:05.123456789Z");
  const job = await insertOne(driver, {
    kind: "mail",
    queue: "q1",
    state: "scheduled",
    priority: 3,
    maxAttempts: 7,
    args: '{"n": 9007199254740993, "u": "\\"é\\"", "x": 1.0}',
    metadata: '{"m": 12345678901234567890.5}',
    tags: ["one", 'tw"o', "a,b", "c\\d", "NULL", "{}"],
    scheduledAt,
  });
  const stored = await read(driver, job.id);
  const columns = ["id", "kind", "queue", "state", "priority", "attempt", "maxAttempts", "args", "metadata"] as const;
  const more = ["errors", "tags", "attemptedBy", "attemptedAt", "finalizedAt", "uniqueKey", "uniqueStates"] as const;
  for (const key of [...columns, ...more]) assert.deepEqual(stored[key], job[key], key);
  assert.equal(stored.createdAt.toString(), job.createdAt.toString());
  assert.equal(stored.scheduledAt.toString(), "2030-01-02T03:04:05.123456Z");
  assert.equal(job.scheduledAt.toString(), "2030-01-02T03:04:05.123456Z");
});

test("an empty insertion, settlement or request touches nothing", async (t) => {
  const { driver, pool } = await driverFixture(t);
  await pool.end();
  assert.deepEqual(await driver.jobs.insert({ jobs: [], notices: [], durability: "default" }), []);
  assert.deepEqual(await driver.jobs.settle({ settlements: [], wantRows: true }), []);
  assert.deepEqual(await driver.jobs.cancelRequested({ clientId: "c", ids: [] }), []);
  await driver.notices.send({ notices: [] });
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
  const rest = await claim(driver);
  assert.deepEqual(
    rest.map(({ id }) => id),
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
  const now = Temporal.Instant.from("2001-02-03T04:05:06.789012Z");
  const [inserted] = await driver.jobs.insert({ jobs: [newJob()], notices: [], durability: "default" }, { now });
  assert.equal(inserted?.job.scheduledAt.toString(), now.toString());
  const params = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null };
  assert.equal((await driver.jobs.claim(params, { now: now.subtract({ microseconds: 1 }) })).jobs.length, 0);
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
    const { driver, lease } = await driverFixture(t);
    const { id } = await insertOne(driver);
    const clients = Array.from({ length: earlier }, (_, index) => `c${index}`);
    await lease.query("UPDATE river_job SET attempted_by = $1 WHERE id = $2", [clients, id]);
    const job = await claimOne(driver, "last");
    assert.deepEqual(job.attemptedBy, [...clients.slice(dropped), "last"]);
  });
}

test("plain completions are written in bulk, rows only on demand", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, ...Array.from({ length: 20 }, () => ({})));
  const jobs = await claim(driver, 10);
  const finalizedAt = Temporal.Instant.from("2026-08-07T10:00:00.123456Z");
  const settled = await driver.jobs.settle({
    settlements: jobs.map((job) => endOf(job, { finalizedAt })),
    wantRows: false,
  });
  assert.deepEqual(
    settled,
    jobs.map(({ id }) => ({ id, outcome: "settled", state: "completed", job: null })),
  );
  assert.equal((await read(driver, jobs[0]?.id ?? 0n)).finalizedAt?.toString(), finalizedAt.toString());
  const more = await claim(driver, 10);
  const settlements = more.map((job) => endOf(job)).toReversed();
  const withRows = await driver.jobs.settle({ settlements, wantRows: true });
  assert.deepEqual(
    withRows.map(({ job }) => job?.id),
    more.map(({ id }) => id).toReversed(),
  );
  assert.ok(withRows.every(({ job }) => job?.state === "completed"));
});

test("each completion of a batch keeps its own time", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, {}, {}, {});
  const jobs = await claim(driver);
  const times = ["2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.5000004Z", "2026-08-07T10:00:00.500001Z"];
  const settlements = jobs.map((job, index) => endOf(job, { finalizedAt: Temporal.Instant.from(times[index] ?? "") }));
  await driver.jobs.settle({ settlements, wantRows: false });
  const stored = await Promise.all(jobs.map(({ id }) => read(driver, id)));
  assert.deepEqual(
    stored.map(({ finalizedAt }) => finalizedAt?.toString()),
    ["2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.5Z", "2026-08-07T10:00:00.500001Z"],
  );
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
  assert.equal(shown.job?.metadata, '{"output": 1}');
  assert.equal(await driver.jobs.get({ id: b.id }), null);
  await driver.jobs.settle({ settlements: [endOf(c, { state: "discarded" })], wantRows: false });
  const lost = await settle(driver, endOf(c, { deleteRow: true, metadata: '{"output":2}' }));
  assert.deepEqual([lost.outcome, lost.state, lost.job?.metadata], ["merged", "discarded", '{"output": 2}']);
});

test("a settlement writes state, attempt, times, error and metadata", async (t) => {
  const { driver } = await driverFixture(t);
  const { id } = await insertOne(driver, { metadata: '{"keep":{"a":1},"o":{"x":1,"y":2},"n":1.50}' });
  const job = await claimOne(driver);
  const scheduledAt = Temporal.Instant.from("2030-01-01T00:00:00Z");
  const error = { at: "2024-05-01T12:34:56.123456789Z", attempt: 1, error: 'bo"om\\', trace: "" };
  const change = { scheduledAt, error: JSON.stringify(error), metadata: '{"o":{"x":3},"z":null}' };
  const settled = await settle(driver, endOf(job, { state: "retryable", ...change }));
  assert.equal(settled.outcome, "settled");
  const stored = await read(driver, id);
  assert.deepEqual(plain(stored.scheduledAt), scheduledAt.toString());
  assert.deepEqual(JSON.parse(stored.errors), [error]);
  assert.equal(stored.metadata, '{"n": 1.50, "o": {"x": 3}, "z": null, "keep": {"a": 1}}');
  assert.deepEqual([stored.state, stored.finalizedAt], ["retryable", null]);
});

test("a snooze gives the attempt back", async (t) => {
  const { driver } = await driverFixture(t);
  await insertOne(driver);
  const job = await claimOne(driver);
  const change = { newAttempt: 0, scheduledAt: fromNow(60_000), metadata: '{"snoozes":1}' };
  const settled = await settle(driver, endOf(job, { state: "scheduled", ...change }));
  assert.equal(settled.job?.attempt, 0);
  assert.equal(settled.job?.errors, "[]");
});

test("a claim under a backlog goes on where the one before stopped, and misses nothing", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, ...Array.from({ length: 3_000 }, (_, index) => ({ args: `{"n":${index}}` })));
  const params = { queue: "default", clientId: "c", kinds: null };
  const ids: bigint[] = [];
  let { jobs, hint } = await driver.jobs.claim({ ...params, limit: 1_000, hint: null });
  ids.push(...jobs.map(({ id }) => id));
  const urgent = await insertOne(driver, { scheduledAt: fromNow(-60_000) });
  while (jobs.length > 0) {
    ({ jobs, hint } = await driver.jobs.claim({ ...params, limit: 700, hint }));
    ids.push(...jobs.map(({ id }) => id));
  }
  assert.equal(new Set(ids).size, 3_001);
  assert.ok(ids.includes(urgent.id));
});

test("C07 70,000 jobs are inserted in order, or none of them", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const jobs = Array.from({ length: 70_000 }, (_, index) =>
    newJob({ args: `{"n":${index}}`, kind: index % 2 === 0 ? "even" : "odd" }),
  );
  const inserted = await driver.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.equal(inserted.length, jobs.length);
  assert.ok(inserted.every(({ job, duplicate }, index) => !duplicate && job.args === `{"n":${index}}`));
  const stored = await lease.query("SELECT id, args ->> 'n' AS n, kind FROM river_job ORDER BY id");
  const inOrder = stored.every(({ id, n, kind }, index) => {
    return Number(n) === index && kind === jobs[index]?.kind && BigInt(id as string) === inserted[index]?.job.id;
  });
  assert.ok(inOrder);
  const spoiled = jobs.with(69_999, newJob({ priority: 9 }));
  await assert.rejects(driver.jobs.insert({ jobs: spoiled, notices: [], durability: "relaxed" }), {
    code: "database",
    retryable: false,
  });
  assert.deepEqual(await lease.query("SELECT count(*)::int AS n FROM river_job"), [{ n: 70_000 }]);
});

/** Changes that an application asks for: cancel, retry, update, delete. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import {
  claim,
  claimOne,
  driverFixture,
  endOf,
  fromNow,
  insert,
  insertOne,
  keyOf,
  read,
  settle,
} from "./fixture/driver-fixture.ts";
import { heardBy } from "./fixture/heard-by.ts";

failOnLeaks();

const REQUIRED_STATES = 209;
const REQUIRED_AND_CANCELLED = 211;

test("N1 cancel marks a running job, finalizes any other, leaves finalized ones, and tells every client", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const [running, waiting, done] = await insert(driver, {}, { state: "pending" }, { scheduledAt: fromNow(60_000) });
  assert.ok(running && waiting && done);
  await claimOne(driver);
  await lease.query("UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = $1", [done.id]);
  const heard = await heardBy(lease);
  const requestedAt = Temporal.Instant.from("2999-08-07T10:00:00.123456789Z");
  const outcomes = [];
  for (const { id } of [running, waiting, done]) outcomes.push(await driver.jobs.cancel({ id, requestedAt }));
  const states = outcomes.map((result) => (result.outcome === "done" ? result.job.state : result.outcome));
  assert.deepEqual(states, ["running", "cancelled", "completed"]);
  const metadata = '{"cancel_attempted_at": "2999-08-07T10:00:00.123456789Z"}';
  assert.equal((await read(driver, running.id)).metadata, metadata);
  assert.equal((await read(driver, waiting.id)).metadata, metadata);
  assert.equal((await read(driver, done.id)).metadata, "{}");
  assert.deepEqual(await driver.jobs.cancel({ id: 99n, requestedAt }), { outcome: "missing" });
  assert.deepEqual(
    await heard(2),
    [running, waiting].map(({ id }) => [
      "public.river_control",
      `{"action" : "cancel", "job_id" : ${id}, "queue" : "default"}`,
    ]),
  );
});

test("only a cancel mark that is not older than the claim counts for the attempt", async (t) => {
  const { driver, lease } = await driverFixture(t);
  await insert(driver, {}, {}, {}, {}, {});
  const jobs = await claim(driver);
  const at = jobs[0]?.attemptedAt;
  assert.ok(at);
  const marks = [
    JSON.stringify(at.toString()),
    JSON.stringify(at.add({ milliseconds: 1 }).toZonedDateTimeISO("+05:30").toString({ timeZoneName: "never" })),
    JSON.stringify(at.subtract({ microseconds: 1 }).toString()),
    "null",
  ];
  const mark = "UPDATE river_job SET metadata = jsonb_build_object('cancel_attempted_at', $1::jsonb) WHERE id = $2";
  for (const [index, text] of marks.entries()) await lease.query(mark, [text, jobs[index]?.id]);
  const ids = jobs.map(({ id }) => id);
  const requested = await driver.jobs.cancelRequested({ clientId: "client-1", ids });
  assert.deepEqual(new Set(requested), new Set(ids.slice(0, 2)));
  assert.deepEqual(await driver.jobs.cancelRequested({ clientId: "client-2", ids }), []);
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
  assert.deepEqual([state, attempt, maxAttempts, finalizedAt, metadata], ["available", 1, 2, null, '{"a": 1}']);
  assert.equal(scheduledAt.toString(), now.toString());
  await driver.jobs.retry({ id }, { now: now.add({ seconds: 5 }) });
  assert.equal((await read(driver, id)).scheduledAt.toString(), scheduledAt.toString());
  await driver.jobs.retry({ id });
  assert.notEqual((await read(driver, id)).scheduledAt.toString(), scheduledAt.toString());
  assert.deepEqual(await driver.jobs.retry({ id: 99n }), { outcome: "missing" });
});

test("C10 a retry into a taken key changes nothing and names the holder", async (t) => {
  const { driver } = await driverFixture(t);
  const unique = { uniqueKey: keyOf(3), uniqueStates: REQUIRED_STATES };
  const { id } = await insertOne(driver, unique);
  await settle(driver, endOf(await claimOne(driver), { state: "retryable" }));
  const holder = await insertOne(driver, unique);
  assert.deepEqual(await driver.jobs.retry({ id }), { outcome: "unique_conflict", holderId: holder.id });
  assert.equal((await read(driver, id)).state, "retryable");
  const other = await insertOne(driver, { kind: "free" });
  await driver.jobs.cancel({ id: other.id, requestedAt: fromNow(0) });
  assert.equal((await driver.jobs.retry({ id: other.id })).outcome, "done");
});

test("a cancellation into a taken key changes nothing, sends nothing and names the holder", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const unique = { uniqueKey: keyOf(4), uniqueStates: REQUIRED_AND_CANCELLED };
  const { id } = await insertOne(driver, unique);
  await settle(driver, endOf(await claimOne(driver), { state: "retryable" }));
  const holder = await insertOne(driver, unique);
  const heard = await heardBy(lease);
  const params = { id, requestedAt: Temporal.Now.instant() };
  assert.deepEqual(await driver.jobs.cancel(params), { outcome: "unique_conflict", holderId: holder.id });
  const tx = await lease.connect();
  await tx.query("BEGIN");
  const inTx = await driver.jobs.cancel(params, { scope: { owner: "caller", tx } });
  assert.deepEqual(inTx, { outcome: "unique_conflict", holderId: null });
  await tx.query("ROLLBACK");
  assert.equal((await read(driver, id)).state, "retryable");
  assert.deepEqual(await heard(0), []);
});

test("update merges metadata at its top level in any state", async (t) => {
  const { driver } = await driverFixture(t);
  const { id } = await insertOne(driver, { metadata: '{"a":{"b":1,"c":2},"x":1}' });
  const job = await driver.jobs.update({ id, metadata: '{"a":{"b":3},"x":null,"we\\"ird.key":9007199254740993}' });
  assert.equal(job?.metadata, '{"a": {"b": 3}, "x": null, "we\\"ird.key": 9007199254740993}');
  assert.equal(await driver.jobs.update({ id: 99n, metadata: "{}" }), null);
});

test("a running job is not deleted, neither alone nor among many; a locked one costs nobody a wait", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const [a, b, c, d] = await insert(driver, {}, { kind: "k2" }, { kind: "k2" }, { kind: "k2" });
  assert.ok(a && b && c && d);
  const running = await claimOne(driver);
  assert.deepEqual(await driver.jobs.delete({ id: running.id }), { outcome: "running" });
  const holder = await lease.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [b.id]);
  const many = await driver.jobs.deleteMany({ filter: { ids: [a.id, d.id, c.id, b.id] }, limit: 2 });
  assert.deepEqual(
    many.map(({ id }) => id),
    [c.id, d.id],
  );
  await holder.query("ROLLBACK");
  const single = await driver.jobs.delete({ id: b.id });
  assert.ok(single.outcome === "done" && single.job.kind === "k2");
  assert.deepEqual(await driver.jobs.delete({ id: b.id }), { outcome: "missing" });
  assert.deepEqual(await driver.jobs.deleteMany({ filter: { kinds: [] }, limit: 9 }), []);
  assert.equal((await read(driver, running.id)).state, "running");
});

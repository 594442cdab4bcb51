/** Requests to cancel: the notice word for word, marks to the microsecond, conflicts inside a transaction. */
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

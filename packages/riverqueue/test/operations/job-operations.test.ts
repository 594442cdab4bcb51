import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, sameInstant } from "@riverqueue/internal-test-kit";
import { JobRunningError } from "../../src/model/errors/job-running-error.ts";
import { UniqueConflictError } from "../../src/model/errors/unique-conflict-error.ts";
import { bitmaskOfStates } from "../../src/model/job-state.ts";
import { openOperations } from "./testdata/sqlite-operations.ts";

failOnLeaks();

const UNIQUE = {
  uniqueKey: new Uint8Array(32).fill(7),
  uniqueStates: bitmaskOfStates(["available", "pending", "running", "scheduled"]),
};

function idsOf(rows: readonly { readonly id: bigint }[]): bigint[] {
  return rows.map(({ id }) => id);
}

test("get reads a job, and null when there is none", async (t) => {
  const { jobs, insert } = await openOperations(t);
  const [id = 0n] = await insert({ args: '{"n":9007199254740993}', tags: ["one"] });
  const job = await jobs.get(id);
  assert.equal(job?.id, id);
  assert.equal(JSON.stringify(job?.args), '{"n":9007199254740993}');
  assert.deepEqual(job?.tags, ["one"]);
  assert.equal(await jobs.get(id + 1n), null);
  assert.equal(await jobs.get(-1n), null);
});

test("operations on a job that is missing give null", async (t) => {
  const { jobs } = await openOperations(t);
  assert.equal(await jobs.cancel(1n), null);
  assert.equal(await jobs.retry(1n), null);
  assert.equal(await jobs.delete(1n), null);
  assert.equal(await jobs.update(1n, { output: 1 }), null);
  assert.equal(await jobs.update(1n, {}), null);
  assert.deepEqual(await jobs.deleteMany({ ids: [1n] }), []);
});

test("cancel finalizes a job that waits, marks one that runs, leaves one that is finalized", async (t) => {
  const { jobs, insert, claim, clock } = await openOperations(t);
  const [running = 0n] = await insert({});
  assert.deepEqual(await claim(1), [running]);
  const [waiting = 0n] = await insert({ metadata: '{"a":1}' });
  const cancelled = await jobs.cancel(waiting);
  assert.equal(cancelled?.state, "cancelled");
  sameInstant(cancelled.finalizedAt, clock.now());
  assert.deepEqual({ ...cancelled.metadata }, { a: 1, cancel_attempted_at: clock.now().toString() });
  const marked = await jobs.cancel(running);
  assert.equal(marked?.state, "running");
  assert.equal(marked.metadata["cancel_attempted_at"], clock.now().toString());
  await clock.advance(1_000);
  const again = await jobs.cancel(waiting);
  assert.equal(JSON.stringify(again), JSON.stringify(cancelled));
});

test("retry makes a job available now and adds an attempt when none is left", async (t) => {
  const { jobs, insert, claim, clock } = await openOperations(t);
  const [id = 0n] = await insert({ maxAttempts: 1 });
  await claim(1);
  assert.equal((await jobs.retry(id))?.state, "running");
  const [scheduled = 0n] = await insert({ state: "scheduled", scheduledAt: clock.now().add({ hours: 1 }) });
  const retried = await jobs.retry(scheduled);
  assert.equal(retried?.state, "available");
  sameInstant(retried.scheduledAt, clock.now());
  assert.equal(retried.maxAttempts, 25);
  await jobs.cancel(scheduled);
  const revived = await jobs.retry(scheduled);
  assert.deepEqual([revived?.state, revived?.finalizedAt], ["available", null]);
});

test("retry of a job whose unique key another job holds by now is refused and changes nothing", async (t) => {
  const { jobs, insert } = await openOperations(t);
  const [id = 0n] = await insert(UNIQUE);
  await jobs.cancel(id);
  const [holder = 0n] = await insert(UNIQUE);
  assert.notEqual(holder, id);
  await assert.rejects(jobs.retry(id), (error) => {
    assert.ok(error instanceof UniqueConflictError);
    assert.equal(error.holderId, holder);
    assert.equal(error.message, `job ${id} cannot be retried: job ${holder} holds its unique key`);
    return true;
  });
  assert.equal((await jobs.get(id))?.state, "cancelled");
});

test("cancel of a job that would take a unique key which another job holds is refused", async (t) => {
  const { jobs, insert, database } = await openOperations(t);
  const [id = 0n] = await insert({ ...UNIQUE, uniqueStates: bitmaskOfStates(["available", "cancelled"]) });
  database.prepare("UPDATE river_job SET state = 'retryable' WHERE id = ?").run(id);
  const [holder = 0n] = await insert(UNIQUE);
  await assert.rejects(jobs.cancel(id), { code: "unique_conflict", holderId: holder });
  assert.equal((await jobs.get(id))?.state, "retryable");
});

test("delete removes a job unless it runs", async (t) => {
  const { jobs, insert, claim } = await openOperations(t);
  const [running = 0n] = await insert({});
  await claim(1);
  const [waiting = 0n] = await insert({ kind: "gone" });
  const deleted = await jobs.delete(waiting);
  assert.deepEqual([deleted?.id, deleted?.kind], [waiting, "gone"]);
  assert.equal(await jobs.get(waiting), null);
  await assert.rejects(
    jobs.delete(running),
    (error) => error instanceof JobRunningError && error.jobId === running && error.code === "job_running",
  );
  assert.equal((await jobs.get(running))?.state, "running");
});

test("deleteMany removes matching jobs, lowest IDs first, up to the limit and never one that runs", async (t) => {
  const { jobs, insert, claim } = await openOperations(t);
  const [running = 0n] = await insert({ kind: "a" });
  await claim(1);
  const ids = await insert({ kind: "a" }, { kind: "b" }, { kind: "a" }, { kind: "a", queue: "other" }, { kind: "a" });
  const first = await jobs.deleteMany({ kinds: ["a"], queues: ["default"], limit: 2 });
  assert.deepEqual(idsOf(first), [ids[0], ids[2]]);
  assert.deepEqual(await jobs.deleteMany({ kinds: [] }), []);
  assert.deepEqual(await jobs.deleteMany({ states: ["running"] }), []);
  assert.deepEqual(idsOf(await jobs.deleteMany({ all: true })), [ids[1], ids[3], ids[4]]);
  assert.deepEqual(idsOf((await jobs.list()).jobs), [running]);
});

test("update merges metadata and output into a job in any state", async (t) => {
  const { jobs, insert, claim } = await openOperations(t);
  const [id = 0n] = await insert({ metadata: '{"a":{"b":1},"c":2}' });
  await claim(1);
  const updated = await jobs.update(id, { metadata: { a: { d: 3 }, output: "no" }, output: { lines: 5 } });
  assert.equal(updated?.state, "running");
  assert.deepEqual(JSON.parse(JSON.stringify(updated.metadata)), { a: { d: 3 }, c: 2, output: { lines: 5 } });
  const kept = await jobs.update(id, {});
  assert.equal(JSON.stringify(kept), JSON.stringify(updated));
  const own = await jobs.update(id, { metadata: { output: 1 } });
  assert.equal(own?.metadata["output"], 1);
});

test("update without output takes what the calling attempt has recorded", async (t) => {
  const { jobs, insert, recordedOutputs } = await openOperations(t);
  const [id = 0n, other = 0n] = await insert({}, {});
  recordedOutputs.set(id, { pages: 3 });
  assert.deepEqual(JSON.stringify((await jobs.update(id, {}))?.metadata), '{"output":{"pages":3}}');
  assert.deepEqual(JSON.stringify((await jobs.update(id, { output: 7 }))?.metadata), '{"output":7}');
  assert.deepEqual(JSON.stringify((await jobs.update(other, {}))?.metadata), "{}");
});

test("operations run in the caller's transaction and are undone with it", async (t) => {
  const { jobs, queues, insert, driver } = await openOperations(t);
  const [cancelled = 0n, deleted = 0n, updated = 0n] = await insert({}, {}, {});
  const tx = driver.connect();
  t.after(() => tx.close());
  tx.exec("BEGIN IMMEDIATE");
  assert.equal((await jobs.cancel(cancelled, { tx }))?.state, "cancelled");
  assert.equal((await jobs.retry(cancelled, { tx }))?.state, "available");
  assert.equal((await jobs.delete(deleted, { tx }))?.id, deleted);
  assert.equal((await jobs.update(updated, { output: 1, tx }))?.metadata["output"], 1);
  assert.equal((await jobs.deleteMany({ ids: [cancelled], tx })).length, 1);
  assert.equal((await jobs.list({ tx })).jobs.length, 1);
  assert.equal(await jobs.get(deleted, { tx }), null);
  assert.equal(await queues.pause("*", { tx }), null);
  assert.equal((await jobs.list()).jobs.length, 3);
  tx.exec("ROLLBACK");
  const states = (await jobs.list()).jobs.map(({ state }) => state);
  assert.deepEqual(states, ["available", "available", "available"]);
  assert.equal((await jobs.get(updated))?.metadata["output"], undefined);
});

/** Errors of the database, as callers decide by them: code, whether to try again, whether one row is to blame. */
import assert from "node:assert/strict";
import type { ConformanceTest } from "./conformance-test.ts";
import { databaseError } from "./database-error.ts";
import { endOf, newJob } from "./job-values.ts";
import type { Subject } from "./subject.ts";

const SECRET = "s3cret-value";

export function errorTests(test: ConformanceTest): void {
  test("a value that no row may have is the fault of its row", blamesTheRow);
  test("a table that is missing is nobody's row, and no retry helps", blamesTheSchema);
  test("a statement that fails leaves the connection usable", leavesUsable);
  test("a list that takes longer than its limit may be asked again", limitsTime);
  test("no error shows a statement or a value", hidesValues);
}

async function blamesTheRow(subject: Subject): Promise<void> {
  const facts = { operation: "jobs.insert", retryable: false, rowCaused: true };
  for (const bad of [{ priority: 9 }, { kind: "" }, { queue: "" }, { args: "{" }, { metadata: "no JSON" }]) {
    await assert.rejects(subject.add({}, bad), databaseError(subject, facts), JSON.stringify(bad));
  }
  assert.equal(await subject.countJobs(), 0);
}

async function blamesTheSchema(subject: Subject): Promise<void> {
  const [job] = await subject.addClaimed(1);
  assert.ok(job);
  await subject.raw.query("ALTER TABLE river_job RENAME TO river_job_elsewhere");
  const facts = { retryable: false, rowCaused: false };
  const claim = { queue: "default", clientId: "c", limit: 1, kinds: null, hint: null };
  const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
    "jobs.insert": () => subject.add({}),
    "jobs.claim": () => subject.jobs.claim(claim),
    "jobs.settle": () => subject.settle(endOf(job)),
    "jobs.get": () => subject.jobs.get({ id: job.id }),
    "jobs.delete": () => subject.jobs.delete({ id: job.id }),
  };
  for (const [operation, call] of Object.entries(verbs)) {
    await assert.rejects(call(), databaseError(subject, { operation, ...facts }), operation);
  }
  await subject.raw.query("ALTER TABLE river_job_elsewhere RENAME TO river_job");
  assert.equal((await subject.settle(endOf(job))).outcome, "settled");
}

async function leavesUsable(subject: Subject): Promise<void> {
  for (let times = 0; times < 20; times++) {
    const results = await Promise.allSettled([subject.add({ priority: 9 }), subject.add({}), subject.claim(1)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "fulfilled", "fulfilled"],
    );
  }
  assert.equal(await subject.countJobs(), 20);
}

async function limitsTime(subject: Subject): Promise<void> {
  await subject.add(...Array.from({ length: 1_000 }, () => ({})));
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 9, metadata: '{"a":1}' } as const;
  const { timeoutMs, release } = await subject.blockReads();
  const facts = { operation: "jobs.list", retryable: true, rowCaused: false };
  await assert.rejects(subject.jobs.list(params, { timeoutMs }), databaseError(subject, facts));
  await release();
  assert.deepEqual(await subject.jobs.list(params), []);
}

async function hidesValues(subject: Subject): Promise<void> {
  const facts = { retryable: false, rowCaused: true, secret: SECRET };
  const bad = newJob({ priority: 9, args: `{"${SECRET}":1}`, kind: SECRET, queue: SECRET, tags: [SECRET] });
  const inserting = subject.jobs.insert({ jobs: [bad], notices: [], durability: "default" });
  await assert.rejects(inserting, databaseError(subject, { operation: "jobs.insert", ...facts }));
  await assert.rejects(
    subject.add({ args: `{"${SECRET}"` }),
    databaseError(subject, { operation: "jobs.insert", ...facts }),
  );
  const [job] = await subject.addClaimed(1);
  const settling = subject.settle(endOf(job ?? assert.fail(), { metadata: `{"${SECRET}"` }));
  await assert.rejects(settling, databaseError(subject, { operation: "jobs.settle", ...facts }));
}

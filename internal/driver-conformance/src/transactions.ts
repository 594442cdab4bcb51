/** Transactions that River opens: committed when the body resolves, undone when it rejects, and not valid afterwards. */
import assert from "node:assert/strict";
import { insertNotice, type Scope } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { MASK, newJob, unique } from "./job-values.ts";
import { only } from "./only.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");
const DEFAULT = { durability: "default" } as const;
const INSERTION = { jobs: [newJob()], notices: [insertNotice("q")], durability: "default" } as const;

export function transactionTests(test: ConformanceTest): void {
  test("a transaction of River's is committed with what ran in it, and answers what its body does", commits);
  test("a transaction of River's whose body rejects leaves nothing and passes the error on", rollsBack);
  test("a transaction in which a statement failed is not committed, even if its body hides that", isNotCommittedOver);
  test("a scope is of no use after its transaction", endsWithItsTransaction);
  test("a scope is of no use to another driver", belongsToItsDriver);
  test("transactions of River's at the same time are separate", areSeparate);
  test("a transaction of River's that takes longer than its time is undone", isLimited);
}

async function heard(subject: Subject, act: () => Promise<void>): Promise<unknown[]> {
  const inbox = await subject.listen("river_insert");
  await act();
  await subject.send(MARKER);
  return (await inbox.until(MARKER)).map(({ payload }) => payload);
}

async function commits(subject: Subject): Promise<void> {
  const payloads = await heard(subject, async () => {
    for (const durability of ["default", "relaxed"] as const) {
      const ids = await subject.driver.transaction(
        async (scope) => {
          const first = only(await subject.driver.jobs.insert(INSERTION, { scope }));
          const second = only(await subject.driver.jobs.insert({ ...INSERTION, notices: [] }, { scope }));
          return [first.job.id, second.job.id];
        },
        { durability },
      );
      assert.deepEqual(await subject.states(...ids), ["available", "available"]);
    }
  });
  assert.deepEqual(payloads, [{ queue: "q" }, { queue: "q" }]);
  assert.equal(await subject.driver.transaction(() => Promise.resolve("value"), DEFAULT), "value");
}

async function rollsBack(subject: Subject): Promise<void> {
  const error = new RangeError("the application's own");
  const payloads = await heard(subject, async () => {
    const failing = subject.driver.transaction(async (scope) => {
      await subject.driver.jobs.insert(INSERTION, { scope });
      throw error;
    }, DEFAULT);
    await assert.rejects(failing, (thrown) => thrown === error);
    await assert.rejects(
      subject.driver.transaction(() => Promise.reject(error), DEFAULT),
      (thrown) => thrown === error,
    );
  });
  assert.deepEqual(payloads, []);
  assert.equal(await subject.countJobs(), 0);
}

async function isNotCommittedOver(subject: Subject): Promise<void> {
  const swallowing = subject.driver.transaction(async (scope) => {
    await subject.driver.jobs.insert(INSERTION, { scope });
    const bad = { ...INSERTION, jobs: [newJob({ priority: 9 })] };
    await assert.rejects(subject.driver.jobs.insert(bad, { scope }), { code: "database" });
  }, DEFAULT);
  await assert.rejects(swallowing, { code: "database", retryable: false });
  assert.equal(await subject.countJobs(), 0);
}

async function endsWithItsTransaction(subject: Subject): Promise<void> {
  const kept: Scope<unknown>[] = [];
  const keep = (scope: Scope<unknown>): Promise<void> => {
    kept.push(scope);
    return Promise.resolve();
  };
  await subject.driver.transaction(keep, DEFAULT);
  const failing = subject.driver.transaction(async (scope) => {
    await keep(scope);
    throw new RangeError("no");
  }, DEFAULT);
  await assert.rejects(failing, RangeError);
  assert.equal(kept.length, 2);
  for (const scope of kept) {
    const refusal = { code: "transaction_scope", reason: "no_transaction" };
    await assert.rejects(subject.driver.jobs.insert(INSERTION, { scope }), refusal);
  }
  assert.equal(await subject.countJobs(), 0);
}

async function belongsToItsDriver(subject: Subject): Promise<void> {
  const stranger = await subject.openStranger();
  const crossing = subject.driver.transaction((scope) => stranger.jobs.insert(INSERTION, { scope }), DEFAULT);
  await assert.rejects(crossing, (error: Record<string, unknown>) => {
    assert.ok(["backend_mismatch", "transaction_scope"].includes(String(error["code"])), String(error["code"]));
    return true;
  });
  assert.equal(await subject.countJobs(), 0);
}

async function areSeparate(subject: Subject): Promise<void> {
  const insertOne = (seed: number): Promise<bigint> =>
    subject.driver.transaction(async (scope) => {
      const jobs = [newJob(unique(seed, MASK.default))];
      const { job } = only(await subject.driver.jobs.insert({ ...INSERTION, jobs }, { scope }));
      if (seed % 4 === 3) throw new RangeError("no");
      return job.id;
    }, DEFAULT);
  const results = await Promise.allSettled(Array.from({ length: 12 }, (_, seed) => insertOne(seed)));
  assert.deepEqual(
    results.map(({ status }) => status === "fulfilled"),
    results.map((_, seed) => seed % 4 !== 3),
  );
  assert.equal(await subject.countJobs(), 9);
}

async function isLimited(subject: Subject): Promise<void> {
  const late = Promise.withResolvers<void>();
  for (const inserts of [false, true]) {
    const timed = subject.driver.transaction(
      async (scope) => {
        if (inserts) await subject.driver.jobs.insert(INSERTION, { scope });
        await late.promise;
        await subject.driver.jobs.insert(INSERTION, { scope });
      },
      { ...DEFAULT, timeoutMs: 50 },
    );
    // A driver may undo one earlier that keeps others waiting.
    await assert.rejects(timed, inserts ? Error : { code: "database", retryable: true });
  }
  late.resolve();
  const insertion = (scope: Scope<unknown>): Promise<unknown> => subject.driver.jobs.insert(INSERTION, { scope });
  await subject.driver.transaction(insertion, { ...DEFAULT, timeoutMs: 30_000 });
  assert.equal(await subject.countJobs(), 1);
}

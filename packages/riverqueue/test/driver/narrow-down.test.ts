/** Narrowing down: which parts are tried, in which order, and what ends it. */
import assert from "node:assert/strict";
import test from "node:test";
import { narrowDown, SplitBudget } from "../../src/driver/narrow-down.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

interface Narrowing {
  readonly done: readonly number[];
  readonly refused: readonly number[];
  readonly statements: number;
}

async function narrow(count: number, isBad: (job: number) => boolean, budget = new SplitBudget()): Promise<Narrowing> {
  const done: number[] = [];
  const refused: number[] = [];
  let statements = 0;
  const act = async (jobs: readonly number[]): Promise<void> => {
    statements++;
    if (jobs.some(isBad)) throw databaseError("row");
    done.push(...jobs);
  };
  const jobs = Array.from({ length: count }, (_, index) => index);
  await narrowDown(jobs, act, budget, (job) => refused.push(job));
  return { done, refused, statements };
}

test("without a bad job it is one statement, and none without jobs", async () => {
  assert.deepEqual(await narrow(3, () => false), { done: [0, 1, 2], refused: [], statements: 1 });
  assert.deepEqual(await narrow(0, () => true), { done: [], refused: [], statements: 0 });
});

test("bad jobs are found, and the others are done in their order", async () => {
  const { done, refused, statements } = await narrow(1_000, (job) => job === 0 || job === 700);
  assert.deepEqual(refused, [0, 700]);
  assert.equal(done.length, 998);
  assert.deepEqual(
    done,
    done.toSorted((a, b) => a - b),
  );
  assert.ok(statements < 45, `${statements} statements`);
});

test("once the budget is spent the parts that are left are tried once and not cut", async () => {
  const { done, refused, statements } = await narrow(10_000, (job) => job < 5_000);
  assert.equal(done.length, 5_000);
  assert.ok(refused.length > 0 && refused.length < 64);
  assert.ok(statements <= 129, `${statements} statements`);
});

test("a failure for which no row is to blame ends it at once, and what was done stays done", async () => {
  const done: number[] = [];
  const act = async ([first = 0, ...more]: readonly number[]): Promise<void> => {
    if (more.length > 0) throw databaseError("row");
    if (first === 1) throw databaseError("transient");
    done.push(first);
  };
  const narrowing = narrowDown([0, 1, 2], act, new SplitBudget(), () => assert.fail("nothing was refused"));
  await assert.rejects(narrowing, databaseError("transient"));
  assert.deepEqual(done, [0]);
});

/** When periodic jobs run next. */
import assert from "node:assert/strict";
import test from "node:test";
import type { PeriodicJob, PeriodicSchedule } from "../../src/api/periodic-jobs.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import { silentLogger } from "../../src/kit/logger.ts";
import { PeriodicPlan } from "../../src/maintenance/periodic-plan.ts";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { PeriodicJobRegistry } from "../../src/periodic/periodic-job-registry.ts";

const tick = defineJob({ kind: "tick" });
const start = Temporal.Instant.from("2026-01-01T00:00:00Z");
const after = (ms: number): Temporal.Instant => start.add({ milliseconds: ms });

function makePlan(...jobs: PeriodicJob[]): {
  take: (ms: number) => string[];
  registry: PeriodicJobRegistry;
  plan: PeriodicPlan;
} {
  const registry = new PeriodicJobRegistry(jobs, {
    leaderElectionDisabled: false,
    logger: silentLogger,
    now: () => start,
  });
  const plan = new PeriodicPlan(silentLogger);
  const take = (ms: number): string[] =>
    plan
      .takeDue(registry.registrations, after(ms))
      .map(({ job, at }) => `${job.id}@${at.epochMilliseconds - start.epochMilliseconds}`);
  return { take, registry, plan };
}

const everySecond = (id: string, runOnStart = false): PeriodicJob =>
  periodicJob({ job: tick, id, args: {}, every: { seconds: 1 }, runOnStart });
const onTheSecond = (previous: Temporal.Instant): Temporal.Instant =>
  previous.round({ smallestUnit: "second", roundingMode: "floor" }).add({ seconds: 1 });
const scheduled = (id: string, next: PeriodicSchedule["next"]): PeriodicJob =>
  periodicJob({ job: tick, id, args: {}, schedule: { next } });

test("the first run is one interval after the start of the term", () => {
  const { take, plan } = makePlan(everySecond("ab"));
  assert.deepEqual(take(0), []);
  assert.equal(plan.earliest?.toString(), after(1000).toString());
  assert.deepEqual(take(900), []);
  assert.deepEqual(take(1000), ["ab@1000"]);
});

test("runOnStart adds one run now, in the order registered", () => {
  const { take } = makePlan(everySecond("ab", true), everySecond("cd"), everySecond("ef", true));
  assert.deepEqual(take(0), ["ab@0", "ef@0"]);
  assert.deepEqual(take(1000), ["ab@1000", "cd@1000", "ef@1000"]);
});

test("a run within 100 ms is due, and firing early does not shift the schedule", () => {
  const { take } = makePlan(everySecond("ab"));
  take(0);
  assert.deepEqual(take(901), ["ab@1000"]);
  assert.deepEqual(take(1901), ["ab@2000"]);
});

test("C26 a run that the leader before may have inserted ahead of its time is left to it", () => {
  // The term before inserts the run of 1,000 ms at 901 ms and ends; this one begins before that time.
  const { take, registry } = makePlan(scheduled("ab", onTheSecond));
  assert.deepEqual(take(950), []);
  assert.deepEqual(take(1000), []);
  assert.deepEqual(take(1950), ["ab@2000"]);
  // Nobody had the jobs that come later in the term.
  registry.add(scheduled("cd", onTheSecond));
  assert.deepEqual(take(2950), ["ab@3000"]);
  assert.deepEqual(take(2950), ["cd@3000"]);
});

test("missed runs are made up for one a turn", () => {
  const { take, plan } = makePlan(everySecond("ab"));
  take(0);
  assert.deepEqual([take(3000), take(3000), take(3000), take(3000)], [["ab@1000"], ["ab@2000"], ["ab@3000"], []]);
  assert.equal(plan.earliest?.toString(), after(4000).toString());
});

test("registry changes count at once", () => {
  const { take, registry, plan } = makePlan();
  assert.deepEqual(take(0), []);
  assert.equal(plan.earliest, null);
  const handle = registry.add(everySecond("ab", true));
  assert.deepEqual(take(500), ["ab@500"]);
  registry.remove(handle);
  assert.deepEqual(take(1500), []);
  assert.equal(plan.earliest, null);
  registry.add(everySecond("ab"));
  assert.deepEqual(take(2000), []);
});

test("a schedule that ends or fails stops its own job only", () => {
  let calls = 0;
  const throwing = scheduled("cd", (from) => {
    if (calls++ > 0) throw new Error("no more");
    return from.add({ seconds: 1 });
  });
  const standing = scheduled("ef", (from) => from);
  const bad = scheduled("gh", () => "tomorrow" as unknown as Temporal.Instant);
  const once = scheduled("ij", (from) => (from.equals(start) ? after(1000) : null));
  // A rejection that nobody handled would end the process.
  const late = scheduled("kl", () => Promise.reject(new Error("too late")) as unknown as Temporal.Instant);
  const { take } = makePlan(everySecond("ab"), throwing, standing, bad, once, late);
  assert.deepEqual(take(0), []);
  assert.deepEqual(take(1000), ["ab@1000", "cd@1000", "ij@1000"]);
  assert.deepEqual(take(2000), ["ab@2000"]);
});

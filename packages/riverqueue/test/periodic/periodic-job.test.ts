/** Definitions of periodic jobs. */
import assert from "node:assert/strict";
import test from "node:test";
import { sameInstant } from "@riverqueue/internal-test-kit";
import { defineJob } from "../../src/definition/define-job.ts";
import { cron } from "../../src/periodic/cron.ts";
import { isPeriodicJob, periodicJob, type PeriodicJobOptions } from "../../src/periodic/periodic-job.ts";

const report = defineJob<{ day: string }>()({ kind: "report" });

test("a periodic job carries what it was made of", async () => {
  const schedule = cron("0 0 * * *", { timeZone: "UTC" });
  const job = periodicJob({ job: report, id: "daily-report", args: { day: "today" }, schedule, runOnStart: true });
  assert.equal(job.id, "daily-report");
  assert.equal(job.job, report);
  assert.equal(job.runOnStart, true);
  assert.equal(job.schedule, schedule);
  assert.deepEqual(await job.construct(), { args: { day: "today" }, options: undefined });
  assert.ok(Object.isFrozen(job));
  assert.ok(isPeriodicJob(job));
  assert.equal(isPeriodicJob({ ...job }), false);
});

test("id and runOnStart are optional", () => {
  const job = periodicJob({ job: report, args: { day: "today" }, every: { minutes: 5 } });
  assert.equal(job.id, null);
  assert.equal(job.runOnStart, false);
});

test("an interval counts a day as 24 hours and keeps fractions", () => {
  const { schedule } = periodicJob({ job: report, args: { day: "" }, every: { days: 1, milliseconds: 1.0 } });
  sameInstant(schedule.next(Temporal.Instant.from("2026-03-28T12:00:00.0005Z")), "2026-03-29T12:00:00.0015Z");
  assert.equal(schedule.next(Temporal.Instant.fromEpochMilliseconds(8.64e15)), null);
});

test("options stand in for those that a constructor leaves out", async () => {
  const options = { queue: "reports" };
  const every = { minutes: 1 };
  const plain = periodicJob({ job: report, construct: () => ({ args: { day: "a" } }), options, every });
  assert.deepEqual(await plain.construct(), { args: { day: "a" }, options });
  const own = { queue: "other" };
  const special = periodicJob({
    job: report,
    construct: async () => ({ args: { day: "a" }, options: own }),
    options,
    every,
  });
  assert.deepEqual(await special.construct(), { args: { day: "a" }, options: own });
  assert.equal(await periodicJob({ job: report, construct: () => null, options, every }).construct(), null);
});

const good = { job: report, args: { day: "" }, every: { seconds: 1 } };
const BAD: readonly [what: string, options: unknown, message: RegExp][] = [
  ["no options", undefined, /options must be an object/],
  ["no definition", { ...good, job: { kind: "report" } }, /job must be made by defineJob/],
  ["args and construct", { ...good, construct: () => null }, /args must be given exactly when construct is not/],
  ["args that are text", { ...good, args: "today" }, /args must be an object/],
  ["args that are a list", { ...good, args: [] }, /args must be an object/],
  ["args that are null", { ...good, args: null }, /args must be an object/],
  ["neither args nor construct", { job: report, every: { seconds: 1 } }, /args must be given exactly/],
  [
    "construct that is no function",
    { job: report, construct: {}, every: { seconds: 1 } },
    /construct must be a function/,
  ],
  ["every and schedule", { ...good, schedule: cron("@daily") }, /schedule must be given exactly when every is not/],
  ["neither every nor schedule", { job: report, args: {} }, /schedule must be given exactly/],
  ["schedule without next", { job: report, args: {}, schedule: {} }, /schedule must have a method next/],
  ["no interval", { ...good, every: { seconds: 0 } }, /every must be at least 1 ms/],
  ["negative interval", { ...good, every: { seconds: -1 } }, /every must be at least 1 ms/],
  ["calendar interval", { ...good, every: { months: 1 } }, /every must be a duration of days or smaller units/],
  ["bad id", { ...good, id: "no spaces" }, /id must be 2 to 127 characters/],
  ["long id", { ...good, id: "x".repeat(128) }, /id must be 2 to 127 characters/],
  ["bad runOnStart", { ...good, runOnStart: 1 }, /runOnStart must be true or false/],
  ["bad insert options", { ...good, options: { queue: "Bad Queue" } }, /options\.queue must /],
  ["unknown key", { ...good, intervalMs: 5 }, /intervalMs is not an option/],
  ["several mistakes", { job: null, args: {}, every: 5, id: 5 }, /job must .*; id must .*; every must /],
];

for (const [what, options, message] of BAD) {
  test(`periodicJob refuses ${what}`, () => {
    assert.throws(() => periodicJob(options as PeriodicJobOptions), { name: "ConfigurationError", message });
  });
}

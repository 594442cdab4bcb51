/** Options of election and maintenance. */
import assert from "node:assert/strict";
import test from "node:test";
import { sameInstant } from "@riverqueue/internal-test-kit";
import { type MaintenanceSettings, resolveMaintenance } from "../../src/maintenance/maintenance-settings.ts";
import { OptionProblems } from "../../src/options/option-problems.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const never = (): null => null;

function resolve(value: unknown, jobTimeoutMs: number | null = MINUTE, jobTimeoutGiven = false): MaintenanceSettings {
  const problems = new OptionProblems();
  const settings = resolveMaintenance(value, problems, { jobTimeoutMs, jobTimeoutGiven });
  problems.throwConfiguration();
  return settings;
}

test("defaults", () => {
  const { reindexerSchedule, ...settings } = resolve(undefined);
  assert.deepEqual(settings, {
    cancelledJobRetentionMs: DAY,
    completedJobRetentionMs: DAY,
    discardedJobRetentionMs: 7 * DAY,
    electionIntervalMs: 5000,
    jobCleanerIntervalMs: 30_000,
    jobCleanerTimeoutMs: 30_000,
    notificationCleanerIntervalMs: MINUTE,
    notificationRetentionMs: 5 * MINUTE,
    queueCleanerIntervalMs: HOUR,
    queueRetentionMs: DAY,
    reindexerIndexNames: null,
    reindexerTimeoutMs: MINUTE,
    rescueAfterMs: HOUR,
    rescuerIntervalMs: 30_000,
    schedulerIntervalMs: 5000,
  });
  sameInstant(reindexerSchedule(Temporal.Instant.from("2026-01-01T00:00Z")), "2026-01-02T00:00Z");
  sameInstant(reindexerSchedule(Temporal.Instant.from("2026-01-01T23:59:59.999999999Z")), "2026-01-02T00:00Z");
});

test("null keeps jobs for ever and lifts the two limits", () => {
  const settings = resolve({
    cancelledJobRetention: null,
    completedJobRetention: null,
    discardedJobRetention: null,
    jobCleanerTimeout: null,
    reindexerTimeout: null,
  });
  assert.equal(settings.cancelledJobRetentionMs, null);
  assert.equal(settings.completedJobRetentionMs, null);
  assert.equal(settings.discardedJobRetentionMs, null);
  assert.equal(settings.jobCleanerTimeoutMs, null);
  assert.equal(settings.reindexerTimeoutMs, null);
});

test("rescueAfter follows a job timeout that was set, and may not be shorter than the timeout in force", () => {
  assert.equal(resolve({}, 2 * HOUR, true).rescueAfterMs, 3 * HOUR);
  assert.equal(resolve({}, null, true).rescueAfterMs, HOUR);
  assert.equal(resolve({ rescueAfter: { minutes: 1 } }).rescueAfterMs, MINUTE);
  assert.equal(resolve({ rescueAfter: { seconds: 1 } }, null, true).rescueAfterMs, 1000);
  assert.throws(() => resolve({ rescueAfter: { seconds: 59 } }), {
    name: "ConfigurationError",
    message: "maintenance.rescueAfter must not be shorter than jobTimeout (60000 ms)",
  });
});

test("index names and schedule are taken as given, repeats once", () => {
  const settings = resolve({ reindexerIndexNames: ["one", "two", "one"], reindexerSchedule: never });
  assert.deepEqual(settings.reindexerIndexNames, ["one", "two"]);
  assert.equal(settings.reindexerSchedule, never);
});

const BAD: readonly [unknown, RegExp][] = [
  [5, /^maintenance must be an object$/],
  [
    { schedulerIntervalMs: 5 },
    /^maintenance\.schedulerIntervalMs is not an option; use schedulerInterval with a duration/,
  ],
  [{ schedulerIntervall: { seconds: 1 } }, /did you mean schedulerInterval\?/],
  [{ electionInterval: { seconds: 0 } }, /^maintenance\.electionInterval must be at least 1 ms$/],
  [{ electionInterval: null }, /^maintenance\.electionInterval must be a duration/],
  [{ queueRetention: { seconds: -1 } }, /^maintenance\.queueRetention must not be negative$/],
  [{ completedJobRetention: { days: 36_501 } }, /^maintenance\.completedJobRetention must be at most /],
  [{ completedJobRetention: { months: 1 } }, /^maintenance\.completedJobRetention must be a duration/],
  [{ jobCleanerTimeout: { seconds: 0 } }, /^maintenance\.jobCleanerTimeout must be at least 1 ms$/],
  [{ reindexerIndexNames: "all" }, /^maintenance\.reindexerIndexNames must be a list/],
  [
    { reindexerIndexNames: ["ok", 5, ""] },
    /reindexerIndexNames\[1\] must be .*; maintenance\.reindexerIndexNames\[2\] must be /,
  ],
  [{ reindexerSchedule: "0 0 * * *" }, /^maintenance\.reindexerSchedule must be a function/],
  [{ rescueAfter: "1h", rescuerInterval: 5 }, /^maintenance\.rescueAfter must .*; maintenance\.rescuerInterval must /],
];

for (const [value, message] of BAD) {
  test(`${JSON.stringify(value)} is refused`, () => {
    assert.throws(() => resolve(value), { name: "ConfigurationError", message });
  });
}

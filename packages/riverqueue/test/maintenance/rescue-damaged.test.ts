/** Stuck jobs that cannot be rescued: the others are all the same. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { StuckJobPolicy } from "../../src/maintenance/stuck-job-policy.ts";
import { insertRawJobs } from "./testdata/insert-jobs.ts";
import { advanceUntil, KNOWN_KIND, makeLeadingClient } from "./testdata/leading-client.ts";

failOnLeaks();

test("rows that are unreadable or get a time that no driver stores keep no other job from being rescued", async (t) => {
  const clock = new ManualClock();
  const far = Temporal.Instant.from("9999-12-31T23:59:59.9999Z");
  const stuckPolicy: StuckJobPolicy = {
    retryTime: (job, now) => KNOWN_KIND.retryTime(job, now),
    workerOf(kind) {
      const known = KNOWN_KIND.workerOf("known");
      return known && (kind === "far" ? { ...known, retryTime: () => far } : known);
    },
  };
  const database = await leaseSqliteDatabase(t);
  const leader = makeLeadingClient(t, database, { clock, databaseClock: clock, stuckPolicy, clientId: "one" });
  const handle = database.open();
  const now = clock.now();
  const running = { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 2 }) } as const;
  insertRawJobs(handle, now, [running, running, running, { ...running, kind: "far" }, running]);
  handle.exec("UPDATE river_job SET attempt = 1.5 WHERE id = 2; UPDATE river_job SET kind = x'00ff' WHERE id = 3");
  leader.leadership.start();
  await advanceUntil(clock, [leader], () => leader.leadership.diagnostics.runs.rescuer > 0, { limitMs: 120_000 });
  const states = handle.prepare("SELECT state FROM river_job ORDER BY id").all();
  assert.deepEqual(
    states.map(({ state }) => state),
    ["retryable", "running", "running", "running", "retryable"],
  );
});

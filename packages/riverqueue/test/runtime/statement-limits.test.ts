/** How long each statement of a running client may take, and when the rows of its queues are kept alive. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { insertRawJobs } from "../maintenance/testdata/insert-jobs.ts";
import { aborted, advanceUntil, clientOnSqlite, manualEnvironment } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

const EVERY_SECOND = { seconds: 1 };

/** In milliseconds, by verb. */
const LIMITS = {
  "indexes.rebuild": [60_000],
  "jobs.cancelRequested": [10_000],
  "jobs.claim": [10_000],
  "jobs.deleteFinalized": [30_000],
  "jobs.listStuck": [30_000],
  "jobs.promote": [30_000],
  "jobs.rescue": [30_000],
  "jobs.settle": [10_000],
  "leader.elect": [5_000],
  "leader.renew": [5_000],
  "leader.resign": [1_000],
  "notices.deleteExpired": [30_000],
  "queues.deleteExpired": [30_000],
  "queues.getMany": [10_000],
  "queues.keepAlive": [10_000],
};

test("JS-65 every statement in the background has a limit of its own, so that none hangs for ever", async (t) => {
  const clock = new ManualClock();
  const limits = new Map<string, Set<number | undefined>>();
  const { start, insert, events, sql, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      jobTimeout: { days: 1 },
      queues: { default: { maxWorkers: 1, pollInterval: EVERY_SECOND } },
      maintenance: {
        jobCleanerInterval: EVERY_SECOND,
        notificationCleanerInterval: EVERY_SECOND,
        queueCleanerInterval: EVERY_SECOND,
        rescuerInterval: EVERY_SECOND,
        rescueAfter: { days: 1 },
        reindexerSchedule: (after) => after.add(EVERY_SECOND),
      },
    },
    handler: async ({ signal }) => {
      throw await aborted(signal);
    },
    intercept: (verb, params: { readonly timeoutMs?: number }, proceed, call) => {
      // These have limits of the drivers' own, or none because nobody waits for them.
      if (!/^(?:extension|indexes\.(?:existing|artifacts)|notices\.listen|jobs\.insert)/.test(verb)) {
        limits.set(verb, (limits.get(verb) ?? new Set()).add(call?.timeoutMs ?? params.timeoutMs));
      }
      if (verb === "indexes.rebuild") throw databaseError("other", verb);
      return proceed();
    },
  });
  await insert(1);
  const long = clock.now().subtract({ hours: 100 });
  insertRawJobs(sql, long, [{ kind: "task", state: "running", attempt: 1, attemptedAt: long }]);
  const run = await start();
  await advanceUntil(clock, events.when("maintenance_failed"), 100);
  // Past a renewal and a poll of the controls.
  await advanceUntil(clock, new Promise<void>((resolve) => clock.setTimer(resolve, 6_000)), 100);
  await advanceUntil(clock, run.stop({ mode: "cancel" }), 100);
  const found = [...limits].map(([verb, values]) => [verb, [...values]]);
  assert.deepEqual(Object.fromEntries(found), LIMITS, JSON.stringify(logs.map(({ message }) => message)));
});

test("JS-65 the rows of worked queues are kept alive every ten minutes, from a moment within the first second on, also after a failure", async (t) => {
  const clock = new ManualClock();
  const beats: [at: number, limitMs: number | undefined][] = [];
  const { start, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: {
      leaderElectionDisabled: true,
      pollOnly: true,
      queueControlPollInterval: { hours: 1 },
      queues: { default: { maxWorkers: 1, pollInterval: { hours: 1 } } },
    },
    intercept: (verb, _, proceed, call) => {
      if (verb === "queues.keepAlive") beats.push([clock.monotonic(), call?.timeoutMs]);
      if (verb === "queues.keepAlive" && beats.length === 2) throw databaseError("transient", verb);
      return proceed();
    },
  });
  const run = await start();
  await advanceUntil(clock, new Promise<void>((resolve) => clock.setTimer(resolve, 1_201_000)), 1_000);
  assert.deepEqual(beats, [
    [0, 10_000],
    [600_500, 10_000],
    [1_200_500, 10_000],
  ]);
  assert.equal(run.state, "running");
  assert.deepEqual(
    logs.flatMap(({ level }) => (level === "warn" || level === "error" ? [level] : [])),
    ["warn"],
  );
});

test("what an interrupted rebuild of an index left is dropped within 15 seconds", async (t) => {
  const rebuilding = deferred<void>();
  const limits: (number | undefined)[] = [];
  const { start } = await clientOnSqlite(t, {
    client: {
      maintenance: {
        reindexerIndexNames: ["river_job_kind"],
        reindexerSchedule: (after) => after.add({ milliseconds: 10 }),
      },
    },
    intercept: async (verb, params: { readonly timeoutMs?: number; readonly signal: AbortSignal }, proceed) => {
      if (verb === "indexes.dropArtifacts") limits.push(params.timeoutMs);
      if (verb !== "indexes.rebuild") return proceed();
      rebuilding.resolve();
      await aborted(params.signal);
      throw databaseError("transient", verb);
    },
  });
  const run = await start();
  await rebuilding.promise;
  await run.stop();
  assert.deepEqual(limits, [15_000]);
});

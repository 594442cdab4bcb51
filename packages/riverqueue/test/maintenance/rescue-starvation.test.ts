/** The rescuer among many jobs that are not its business, and a leader that dies half way. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { StuckJobPolicy } from "../../src/maintenance/stuck-job-policy.ts";
import { FreezableClock } from "./testdata/freezable-clock.ts";
import { insertRawJobs, storedTime } from "./testdata/insert-jobs.ts";
import { advanceUntil, KNOWN_KIND, makeLeadingClient } from "./testdata/leading-client.ts";

failOnLeaks();

/** More than one batch. */
const LIVE_JOBS = 10_050;

/** `endless` has no timeout, `undecodable` no valid arguments, `unknown` no worker. */
const policy: StuckJobPolicy = {
  retryTime: (job, now) => KNOWN_KIND.retryTime(job, now),
  workerOf(kind) {
    const known = KNOWN_KIND.workerOf("known");
    if (known === null || kind === "unknown") return null;
    if (kind === "endless") return { ...known, timeoutMs: null };
    if (kind !== "undecodable") return known;
    return { ...known, decode: () => Promise.reject(new Error("bad arguments")) };
  },
};

test("C20: jobs that may live cannot hide stuck ones, and a new leader starts over where one was killed", async (t) => {
  const clock = new ManualClock();
  const killed = new FreezableClock(clock);
  const database = await leaseSqliteDatabase(t);
  const shared = { databaseClock: clock, stuckPolicy: policy };
  const one = makeLeadingClient(t, database, { ...shared, clientId: "one", clock: killed });
  const two = makeLeadingClient(t, database, { ...shared, clientId: "two", clock });
  const handle = database.open();
  const now = clock.now();
  const running = { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 2 }) } as const;
  insertRawJobs(handle, now, [
    ...Array.from({ length: LIVE_JOBS }, () => ({ ...running, kind: "endless" })),
    ...Array.from({ length: 5 }, () => ({ ...running, metadata: '{"river:rescue_count":2}' })),
    { ...running, kind: "undecodable" },
    { ...running, kind: "unknown" },
    { ...running, attempt: 25 },
    { ...running, metadata: '{"cancel_attempted_at":"2026-01-01T00:00:00Z"}' },
    { ...running, attemptedAt: now.subtract({ minutes: 50 }) },
  ]);
  const states = (): unknown[] =>
    handle
      .prepare("SELECT state FROM river_job WHERE id > ? ORDER BY id")
      .all(LIVE_JOBS)
      .map((row) => row["state"]);

  one.leadership.start();
  // The other services are done, and this one is between its first and its second page.
  await advanceUntil(clock, [one], () => one.leadership.diagnostics.runs.periodic > 0, { limitMs: 0 });
  assert.equal(one.leadership.diagnostics.runs.rescuer, 0);
  killed.freeze();
  two.leadership.start();
  await advanceUntil(clock, [two], () => two.eventsOf("leader_acquired").length > 0, { limitMs: 21_000 });
  assert.ok(states().every((state) => state === "running"));

  const rescued = () => two.eventsOf("maintenance_succeeded").find((event) => event.service === "rescuer");
  const pass = await advanceUntil(clock, [two], rescued, { limitMs: 30_000 });
  assert.equal(pass.count, 9);
  assert.deepEqual(states(), [
    ...Array.from({ length: 6 }, () => "retryable"),
    "discarded",
    "discarded",
    "cancelled",
    "running",
  ]);
  const touched = handle.prepare(
    "SELECT count(*) AS n FROM river_job WHERE id <= ? AND (state <> 'running' OR errors IS NOT NULL)",
  );
  assert.equal(touched.get(LIVE_JOBS)?.["n"], 0);

  const row = handle.prepare(
    "SELECT scheduled_at, json(errors) AS errors, json(metadata) AS metadata FROM river_job WHERE id = ?",
  );
  const stuck = row.get(LIVE_JOBS + 1);
  const errorsOfJob = JSON.parse(String(stuck?.["errors"])) as { at: string }[];
  const at = errorsOfJob[0]?.at ?? "";
  assert.deepEqual(errorsOfJob, [{ at, attempt: 1, error: "Stuck job rescued by JobRescuer", trace: "" }]);
  const rescuedAt = Temporal.Instant.from(at);
  assert.equal(stuck?.["scheduled_at"], storedTime(rescuedAt.add({ minutes: 10 })));
  assert.equal(row.get(LIVE_JOBS + 6)?.["scheduled_at"], storedTime(rescuedAt.add({ minutes: 20 })));
  assert.equal(JSON.parse(String(stuck?.["metadata"]))["river:rescue_count"], 3);
  const errors = two.logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    errors.map(({ attributes }) => attributes["jobKind"]),
    ["unknown"],
  );
});

test("rows that nobody can read keep no other job from its rescue", async (t) => {
  const clock = new ManualClock();
  const database = await leaseSqliteDatabase(t);
  const client = makeLeadingClient(t, database, { clientId: "one", clock, databaseClock: clock, stuckPolicy: policy });
  const handle = database.open();
  const now = clock.now();
  const running = { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 2 }) } as const;
  const jobs = insertRawJobs(
    handle,
    now,
    Array.from({ length: 5 }, () => running),
  );
  const [badMetadata, badArgs] = jobs;
  handle.prepare("UPDATE river_job SET metadata = 'no json' WHERE id = ?").run(badMetadata ?? 0n);
  handle.prepare("UPDATE river_job SET args = 'no json' WHERE id = ?").run(badArgs ?? 0n);
  client.leadership.start();
  const pass = () => client.eventsOf("maintenance_succeeded").find((event) => event.service === "rescuer");
  assert.equal((await advanceUntil(clock, [client], pass)).count, 4);
  const states = handle
    .prepare("SELECT state FROM river_job ORDER BY id")
    .all()
    .map((row) => row["state"]);
  assert.deepEqual(states, ["running", "retryable", "retryable", "retryable", "retryable"]);
  const errors = client.logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    errors.map(({ attributes }) => attributes["jobId"]),
    [badMetadata],
  );
});

test("the event loop turns after every hundredth job, whose arguments the application decodes", async (t) => {
  const clock = new ManualClock();
  const database = await leaseSqliteDatabase(t);
  let turns = 0;
  let next = setImmediate(turn);
  function turn(): void {
    turns++;
    next = setImmediate(turn);
  }
  t.after(() => clearImmediate(next));
  const decodedAt: number[] = [];
  const known = KNOWN_KIND.workerOf("known") ?? assert.fail();
  const decode: typeof known.decode = (...given) => {
    decodedAt.push(turns);
    return known.decode(...given);
  };
  const stuckPolicy: StuckJobPolicy = { ...policy, workerOf: () => ({ ...known, decode }) };
  const client = makeLeadingClient(t, database, { databaseClock: clock, stuckPolicy, clientId: "one", clock });
  const running = { state: "running", attempt: 1, attemptedAt: clock.now().subtract({ hours: 2 }) } as const;
  insertRawJobs(
    database.open(),
    clock.now(),
    Array.from({ length: 250 }, () => running),
  );
  client.leadership.start();
  await advanceUntil(clock, [client], () => client.leadership.diagnostics.runs.rescuer > 0, { limitMs: 30_000 });
  assert.equal(decodedAt.length, 250);
  const inOneTurn = Map.groupBy(decodedAt, (at) => at);
  assert.deepEqual(
    [...inOneTurn.values()].map((decoded) => decoded.length),
    [99, 100, 51],
  );
});

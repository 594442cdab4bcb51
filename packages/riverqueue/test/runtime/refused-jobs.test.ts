/** Jobs that a trigger of the application's keeps from being claimed: they cost the others nothing, and are said once. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import { advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

/** Nobody may change the first three jobs from now on. */
const TRIGGER = `CREATE TRIGGER app_refuse BEFORE UPDATE ON river_job WHEN OLD.id <= 3
  BEGIN SELECT RAISE(ABORT, 'refused'); END`;

test("jobs that cannot be claimed are passed over and said once, also by a queue with one slot", async (t) => {
  const worked: bigint[] = [];
  const { start, insert, sql, events, states, logs } = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(1) }, leaderElectionDisabled: true },
    handler: ({ job }) => void worked.push(job.id),
  });
  const refused = await insert(3);
  const sound = await insert(3);
  sql.exec(TRIGGER);
  await start();
  await events.when("job_completed", 3);
  const late = await insert(2);
  await events.when("job_completed", 5);
  assert.deepEqual(worked, [...sound, ...late]);
  assert.deepEqual(states(), { available: 3, completed: 5 });
  const said = logs.filter(({ level }) => level === "error" || level === "warn");
  assert.deepEqual(
    said.map(({ attributes: { queue, jobId } }) => [queue, jobId]),
    refused.map((id) => ["default", String(id)]),
  );
  assert.match(said[0]?.message ?? "", /^a job cannot be claimed: /);
});

test("a job that could not be claimed is tried again a minute later, and worked once it may be", async (t) => {
  const clock = new ManualClock();
  const claims: { readonly known: number; readonly atMs: number }[] = [];
  const { start, insert, sql, events, logs } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { leaderElectionDisabled: true },
    intercept: (verb, params: { readonly refusals?: { readonly known: readonly bigint[] } }, proceed) => {
      if (verb === "jobs.claim") claims.push({ known: params.refusals?.known.length ?? 0, atMs: clock.monotonic() });
      return proceed();
    },
  });
  await insert(1);
  sql.exec(TRIGGER);
  await start();
  const said = (): number => logs.filter(({ level }) => level === "error").length;
  await pollUntil(() => said() === 1);
  const since = clock.monotonic();
  const forgotten = pollUntil(() => claims.some(({ known, atMs }) => known === 0 && atMs > since));
  await advanceUntil(clock, forgotten);
  assert.ok(clock.monotonic() - since >= 60_000);
  sql.exec("DROP TRIGGER app_refuse");
  await advanceUntil(clock, events.when("job_completed"));
  assert.equal(said(), 1);
});

/** Rows that others deleted or finalized: that their ends share a statement with others, and an error that nobody caught. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { Settlement } from "../../src/driver/settle-jobs.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { JobAttemptFinishedError } from "../../src/model/errors/job-attempt-finished-error.ts";
import { complete } from "../../src/work/outcome.ts";
import { clientOnSqlite, type LogEntry } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("C18 JS-86 of four jobs of one statement each gets its own output, event, or warning", async (t) => {
  const finish = deferred<void>();
  const batches: bigint[][] = [];
  const { start, insert, row, sql, events, logs } = await clientOnSqlite(t, {
    handler: async ({ job, setMetadata }) => {
      await finish.promise;
      setMetadata("of", job.args["n"] ?? null);
      return complete({ output: { own: String(job.id) } });
    },
    intercept: (verb, params: { readonly settlements: readonly Settlement[] }, proceed) => {
      if (verb === "jobs.settle") batches.push(params.settlements.map(({ id }) => id));
      return proceed();
    },
  });
  const ids = await insert(4);
  const [one = 0n, two = 0n, three = 0n, four = 0n] = ids;
  const run = await start();
  await events.when("job_started", 4);
  sql.prepare("DELETE FROM river_job WHERE id = ?").run(two);
  sql
    .prepare("UPDATE river_job SET state = 'cancelled', finalized_at = '2026-01-02 03:04:05.678' WHERE id = ?")
    .run(three);
  finish.resolve();
  await run.stop();
  assert.deepEqual(
    batches.map((batch) => batch.toSorted((a, b) => Number(a - b))),
    [ids],
  );
  for (const [id, expected, n] of [
    [one, "completed", 0],
    [three, "cancelled", 2],
    [four, "completed", 3],
  ] as const) {
    const { state, metadata } = await row(id);
    assert.deepEqual([state, metadata["of"]], [expected, n]);
    assert.equal(JSON.stringify(metadata["output"]), `{"own":"${id}"}`);
  }
  assert.equal((await row(three)).finalizedAt?.toString(), "2026-01-02T03:04:05.678Z");
  const { job_completed: completed, job_cancelled: cancelled, job_failed: failed } = events.kinds();
  assert.deepEqual([completed, cancelled, failed], [2, 1, undefined]);
  assert.deepEqual(complaints(logs), [["warn", String(two)]]);
});

test("C18 completeTx on a row that was deleted before throws, and its error may end the handler: nobody's row, nobody's event", async (t) => {
  const begun = deferred<void>();
  const deleted = deferred<void>();
  const failures: unknown[] = [];
  const { start, insert, events, sql, database, logs, states } = await clientOnSqlite(t, {
    handler: async ({ completeTx }) => {
      begun.resolve();
      await deleted.promise;
      const own = database.open({ timeout: 5_000 });
      own.exec("BEGIN IMMEDIATE");
      try {
        await completeTx(own, { output: "never" });
      } catch (error) {
        failures.push(error);
        throw error;
      } finally {
        own.exec("ROLLBACK");
      }
    },
  });
  const [id = 0n] = await insert();
  const run = await start();
  await begun.promise;
  sql.prepare("DELETE FROM river_job WHERE id = ?").run(id);
  deleted.resolve();
  await run.stop();
  const [failure] = failures;
  assert.ok(failure instanceof JobAttemptFinishedError);
  assert.equal(failure.jobId, id);
  assert.deepEqual(states(), {});
  const { job_completed: completed, job_failed: failed } = events.kinds();
  assert.deepEqual([completed, failed], [undefined, undefined]);
  assert.deepEqual(complaints(logs), [["warn", String(id)]]);
});

/** Level and job of every warning and error. */
function complaints(logs: readonly LogEntry[]): unknown[] {
  return logs
    .filter(({ level }) => level === "warn" || level === "error")
    .map(({ level, attributes }) => [level, attributes["jobId"]]);
}

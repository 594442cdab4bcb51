/** Rows that others deleted or finalized, in one batch with rows that are as they were. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { Settlement } from "../../src/driver/settle-jobs.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { JobAttemptFinishedError } from "../../src/model/errors/job-attempt-finished-error.ts";
import { JobRunningError } from "../../src/model/errors/job-running-error.ts";
import { complete } from "../../src/work/outcome.ts";
import { clientOnSqlite } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("C18 JS-86 of four jobs of one statement each gets its own output, event, or warning", async (t) => {
  const finish = deferred<void>();
  const batches: bigint[][] = [];
  const calls: number[] = [];
  const { start, insert, row, client, sql, events, logs, states } = await clientOnSqlite(t, {
    handler: async ({ job, setMetadata }) => {
      calls.push(Number(job.args["n"]));
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
  await assert.rejects(client.jobs.delete(two), JobRunningError);
  assert.equal((await row(two)).state, "running");
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
  assert.deepEqual(states(), { cancelled: 1, completed: 2 });
  for (const [kind, id, n] of [
    ["job_completed", one, 0],
    ["job_cancelled", three, 2],
    ["job_completed", four, 3],
  ] as const) {
    const matching = events.of(kind).filter(({ job }) => job.id === id);
    assert.equal(matching.length, 1);
    for (const { state, attempt, metadata } of [await row(id), ...matching.map(({ job }) => job)]) {
      assert.deepEqual([`job_${state}`, attempt, metadata["of"]], [kind, 1, n]);
      assert.equal(JSON.stringify(metadata["output"]), `{"own":"${id}"}`);
    }
  }
  assert.equal((await row(three)).finalizedAt?.toString(), "2026-01-02T03:04:05.678Z");
  assert.equal(await client.jobs.get(two), null);
  const {
    job_started: started,
    job_completed: completed,
    job_cancelled: cancelled,
    job_failed: failed,
  } = events.kinds();
  assert.deepEqual([started, completed, cancelled, failed], [4, 2, 1, undefined]);
  assert.deepEqual(
    logs.filter(({ level }) => level === "warn" || level === "error").map(({ attributes }) => attributes["jobId"]),
    [String(two)],
  );
  assert.deepEqual(
    calls.toSorted((a, b) => a - b),
    [0, 1, 2, 3],
  );
});

for (const escapes of [false, true]) {
  test(`C18 completeTx on a row that was deleted before throws; its error ${escapes ? "ends" : "is caught by"} the handler`, async (t) => {
    const begun = deferred<void>();
    const deleted = deferred<void>();
    const failures: unknown[] = [];
    const { start, insert, events, sql, database, logs, states } = await clientOnSqlite(t, {
      handler: async ({ completeTx, job }) => {
        if (job.args["n"] === 1) return;
        begun.resolve();
        await deleted.promise;
        const own = database.open({ timeout: 5_000 });
        own.exec("BEGIN IMMEDIATE");
        own.exec("INSERT INTO business VALUES (1)");
        try {
          await completeTx(own, { output: "never" });
        } catch (error) {
          failures.push(error);
          assert.ok(own.isTransaction, "still the application's");
          own.exec("ROLLBACK");
          if (escapes) throw error;
        }
      },
    });
    sql.exec("CREATE TABLE business (n INTEGER)");
    const [id = 0n] = await insert();
    const run = await start();
    await begun.promise;
    sql.prepare("DELETE FROM river_job WHERE id = ?").run(id);
    deleted.resolve();
    await run.stop();
    const [failure] = failures;
    assert.ok(failure instanceof JobAttemptFinishedError);
    assert.equal(failure.jobId, id);
    assert.equal(sql.prepare("SELECT count(*) AS n FROM business").get()?.["n"], 0);
    assert.deepEqual(states(), {});
    const { job_completed: completed, job_failed: failed } = events.kinds();
    assert.deepEqual([completed, failed], [undefined, undefined], "nobody's row, nobody's event");
    assert.deepEqual(
      logs.filter(({ level }) => level === "warn").map(({ attributes }) => attributes["jobId"]),
      [String(id)],
    );
  });
}

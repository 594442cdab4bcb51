/** Rows that somebody deletes or finalizes while their jobs run, in one batch with rows that are as they were. */
import assert from "node:assert/strict";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { complete, JobAttemptFinishedError, JobRunningError } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { openScene } from "../src/scene.ts";

failOnLeaks();

onBothDatabases("C18 of four jobs that end together one was deleted and one cancelled by SQL", async (t, database) => {
  const finish = Promise.withResolvers<void>();
  const { client, insert, start, events, row, states, calls, complaints } = openScene(t, database, {
    handler: async ({ job, setMetadata }) => {
      await withDeadline(finish.promise, "the word to finish");
      setMetadata("of", job.args["n"] ?? null);
      return complete({ output: { own: String(job.id) } });
    },
  });
  const ids = await insert(4);
  const [one = 0n, two = 0n, three = 0n, four = 0n] = ids;
  const run = await start();
  await events.when("job_started", 4);
  await assert.rejects(client.jobs.delete(two), JobRunningError);
  assert.equal((await row(two)).state, "running");
  await database.query("DELETE FROM river_job WHERE id = $1", two);
  // A time of long ago would leave the row to the leader's cleaner.
  const cancelledAt = Temporal.Now.instant().round("millisecond").toString({ fractionalSecondDigits: 3 });
  await database.query(
    "UPDATE river_job SET state = 'cancelled', finalized_at = $1 WHERE id = $2",
    database.backend === "postgres" ? cancelledAt : cancelledAt.replace("T", " ").replace("Z", ""),
    three,
  );
  finish.resolve();
  await events.when("job_completed", 2);
  await events.when("job_cancelled");
  await run.stop();
  assert.deepEqual(await states(), { cancelled: 1, completed: 2 });
  for (const [kind, id, n] of [
    ["job_completed", one, 1],
    ["job_cancelled", three, 3],
    ["job_completed", four, 4],
  ] as const) {
    const told = events.of(kind).filter(({ job }) => job.id === id);
    assert.equal(told.length, 1);
    for (const { state, attempt, metadata } of [await row(id), ...told.map(({ job }) => job)]) {
      assert.deepEqual([`job_${state}`, attempt, metadata["of"]], [kind, 1, n]);
      assert.equal(JSON.stringify(metadata["output"]), `{"own":"${id}"}`);
    }
  }
  assert.equal((await row(three)).finalizedAt?.toString({ fractionalSecondDigits: 3 }), cancelledAt);
  assert.equal(await client.jobs.get(two), null);
  assert.deepEqual(events.jobKinds(), { job_started: 4, job_completed: 2, job_cancelled: 1 });
  assert.deepEqual(
    complaints().map(({ level, attributes }) => [level, attributes["jobId"]]),
    [["warn", String(two)]],
  );
  assert.deepEqual(
    calls.toSorted((a, b) => a - b),
    [1, 2, 3, 4],
  );
});

for (const gone of ["deleted", "cancelled"]) {
  onBothDatabases(
    `C18 completeTx of a job whose row was ${gone} throws, and the transaction is the handler's`,
    async (t, database) => {
      const changed = Promise.withResolvers<void>();
      const failures: unknown[] = [];
      const { insert, start, events, states, calls, complaints } = openScene(t, database, {
        handler: async ({ completeTx }) => {
          await withDeadline(changed.promise, "the change of the row");
          const own = await database.begin();
          await own.query("INSERT INTO business VALUES (1)");
          await completeTx(own.tx, { output: "never" }).catch((error: unknown) => failures.push(error));
          // Still open and usable: whether to roll back is for the handler to decide.
          assert.equal((await own.query("SELECT 1 AS n FROM business")).length, 1);
          await own.rollback();
        },
      });
      await database.query("CREATE TABLE business (n integer)");
      const [id = 0n] = await insert();
      const run = await start();
      await events.when("job_started");
      await database.query(
        gone === "deleted"
          ? "DELETE FROM river_job WHERE id = $1"
          : "UPDATE river_job SET state = 'cancelled', finalized_at = CURRENT_TIMESTAMP WHERE id = $1",
        id,
      );
      changed.resolve();
      await run.stop();
      const [failure, ...others] = failures;
      assert.ok(failure instanceof JobAttemptFinishedError, String(failure));
      assert.deepEqual([failure.jobId, failure.code, others], [id, "job_attempt_finished", []]);
      assert.deepEqual(await database.query("SELECT n FROM business"), []);
      assert.deepEqual(await states(), gone === "deleted" ? {} : { cancelled: 1 });
      const { job_completed: completed, job_failed: failed } = events.kinds();
      assert.deepEqual([calls, completed, failed], [[1], undefined, undefined]);
      assert.deepEqual(
        complaints().map(({ level, attributes }) => [level, attributes["jobId"]]),
        gone === "deleted" ? [["warn", String(id)]] : [],
      );
    },
  );
}

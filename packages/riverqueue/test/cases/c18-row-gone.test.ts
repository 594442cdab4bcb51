/** Rows that change hands, change state or vanish while their job runs. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { complete } from "../../src/work/outcome.ts";
import { Workers } from "../../src/work/workers.ts";
import { aborted, clientOnSqlite, quickQueue, task } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("C18 a row that a rescuer made retryable keeps its state and gets the output, and no end is reported", async (t) => {
  const finish = deferred<void>();
  const { start, insert, row, sql, events } = await clientOnSqlite(t, {
    client: { leaderElectionDisabled: true },
    handler: async ({ job }) => {
      if (job.args["n"] === 1) return undefined;
      await finish.promise;
      return complete({ output: "late" });
    },
  });
  const [id = 0n] = await insert(1);
  const run = await start();
  await events.when("job_started");
  sql
    .prepare("UPDATE river_job SET state = 'retryable', scheduled_at = '2999-01-01 00:00:00.000' WHERE id = ?")
    .run(id);
  finish.resolve();
  await run.stop();
  const { state, metadata } = await row(id);
  assert.deepEqual([state, metadata["output"]], ["retryable", "late"]);
  assert.deepEqual(events.kinds(), { job_started: 1 });
});

test("deleteOnComplete deletes the row, and the event carries the job", async (t) => {
  const workers = new Workers().add(task, () => complete({ output: 5 }), { deleteOnComplete: true });
  const { start, insert, client, events } = await clientOnSqlite(t, {
    client: { workers, queues: { default: quickQueue() } },
  });
  const [id = 0n] = await insert();
  await start();
  const [completed] = await events.when("job_completed");
  assert.deepEqual([completed?.job.id, completed?.job.state, completed?.job.metadata["output"]], [id, "completed", 5]);
  assert.ok(completed?.job.finalizedAt);
  assert.equal(await client.jobs.get(id), null);
});

test("JS-59 events come once each and find the change committed", async (t) => {
  const seen: [string, bigint, string | undefined][] = [];
  const { start, insert, client, events, sql } = await clientOnSqlite(t, {
    client: {
      hooks: {
        onEvent: (event) => {
          if (!("job" in event) || event.kind === "job_started") return;
          const stored = sql.prepare("SELECT state FROM river_job WHERE id = ?").get(event.job.id);
          seen.push([event.kind, event.job.id, stored?.["state"] as string]);
        },
      },
      retryPolicy: (_, now) => now.add({ hours: 1 }),
    },
    handler: async ({ job, signal }) => {
      if (job.args["n"] === 1) throw new Error("retried");
      if (job.args["n"] === 2) throw await aborted(signal);
    },
  });
  const [done = 0n, retried = 0n, cancelled = 0n] = await insert(3);
  const run = await start();
  await events.when("job_completed");
  await events.when("job_failed");
  await client.jobs.cancel(cancelled);
  await events.when("job_cancelled");
  await client.jobs.cancel(cancelled);
  await run.stop();
  assert.deepEqual(
    new Set(seen.map(String)),
    new Set([
      `job_completed,${done},completed`,
      `job_failed,${retried},retryable`,
      `job_cancelled,${cancelled},cancelled`,
    ]),
  );
  assert.equal(seen.length, 3);
});

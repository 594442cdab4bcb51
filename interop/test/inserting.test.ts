/** Options of insertions as seen by the side that works them, batches, and transactions. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS } from "../src/peer-values.ts";

failOnLeaks();

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `${to} works ${from}'s jobs by priority, leaves pending ones and waits for scheduled ones`,
    async (_, world) => {
      const producer = await world.peer(from);
      await producer.open();
      const jobs = await producer.insertMany([
        { kind: "task", priority: 4, tags: ["low"] },
        { kind: "task", priority: 2 },
        { kind: "task", pending: true },
        { kind: "task", priority: 1, metadata: { first: true } },
      ]);
      const [low = "", middle, pending = "", high] = jobs.map(({ job }) => job.id);
      const worker = await world.peer(to);
      await worker.work({ queues: { default: 1 }, kinds: ["task"] });
      await worker.whenJob("job_completed", low);
      const worked = worker.events.filter(({ event }) => event === "work").map(({ jobId }) => jobId);
      assert.deepEqual(worked, [high, middle, low]);
      const scheduledAt = Temporal.Now.instant().add({ seconds: 2 }).round("millisecond").toString();
      const { job: scheduled } = await producer.insert({ kind: "task", scheduledAt });
      await worker.whenJob("job_completed", scheduled.id);
      const row = await worker.get(scheduled.id);
      assert.equal(row?.scheduledAt, scheduledAt, "the time that was asked for stays");
      assert(Temporal.Instant.compare(row.attemptedAt ?? "", scheduledAt) >= 0);
      assert.equal((await worker.get(pending))?.state, "pending");
      await worker.call("stop");
    },
  );

  interopTest(
    `a transaction of ${from}'s: ${to} sees nothing of it before it commits, nor after a rollback`,
    async (_, world) => {
      const producer = await world.peer(from);
      await producer.open();
      const worker = await world.peer(to);
      await worker.work({ queues: { default: 5, second: 5 }, kinds: ["task"], pollIntervalMs: 60_000 });
      const undone = await producer.call<number>("begin");
      const { job: gone } = await producer.insert({ kind: "task" }, undone);
      await producer.insertMany([{ kind: "task" }, { kind: "task" }], undone);
      if (world.backend === "postgres") assert.equal(await worker.get(gone.id), null);
      await producer.call("rollback", { tx: undone });
      assert.deepEqual(await world.query("SELECT id FROM river_job"), []);

      // Another queue: the notice that was rolled back counts for the pause between notices of the first.
      const tx = await producer.call<number>("begin");
      const jobs = [
        await producer.insert({ kind: "task", queue: "second" }, tx),
        ...(await producer.insertMany(
          [
            { kind: "task", queue: "second" },
            { kind: "task", queue: "second" },
          ],
          tx,
        )),
      ];
      if (world.backend === "postgres") assert.equal(await worker.get(jobs[0]?.job.id ?? ""), null);
      await producer.call("commit", { tx });
      for (const { job } of jobs) await worker.whenJob("job_completed", job.id);
      await worker.call("stop");
    },
  );
}

interopTest("a fast insert of Go's is worked here", async (_, { peer, until, query, backend }) => {
  const go = await peer("go");
  await go.open();
  const ours = await peer("ours");
  await ours.work({ queues: { default: 50 }, kinds: ["task"] });
  const jobs = Array.from({ length: 500 }, (__, n) => ({ kind: "task", args: { n }, tags: ["fast"], metadata: { n } }));
  assert.equal(await go.call("insertFast", { jobs }), 500);
  await until("SELECT count(*) = 500 AS done FROM river_job WHERE state = 'completed'");
  const nonces = await query(
    backend === "postgres"
      ? "SELECT id FROM river_job WHERE metadata ? 'river:unique_nonce'"
      : "SELECT id FROM river_job WHERE metadata -> 'river:unique_nonce' IS NOT NULL",
  );
  assert.deepEqual(nonces, []);
  await ours.call("stop");
});

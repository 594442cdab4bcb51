/** Options of insertions as seen by the side that works them, batches, and transactions. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { hearNotices } from "../src/heard-notices.ts";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS } from "../src/peer-values.ts";

failOnLeaks();

/** Far longer than any wait of a test, so that nothing is noticed by polling within one. */
const POLLS_TOO_LATE_MS = 600_000;

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
    `a transaction of ${from}'s wakes ${to}, which does not come to poll, when it commits and not before, and not when it is rolled back`,
    async (t, world) => {
      const [producer, outsider] = [await world.peer(from), await world.peer(from)];
      await Promise.all([producer.open(), outsider.open()]);
      const worker = await world.peer(to);
      const queues = { default: 5, second: 5, marker: 1 };
      await worker.work({ queues, kinds: ["task"], pollIntervalMs: POLLS_TOO_LATE_MS });
      const hear = await hearNotices(t, world);
      const woken = async (): Promise<string[]> =>
        (await hear(0)).filter(([topic]) => topic === "river_insert").map(([, payload]) => payload);

      const undone = await producer.call<number>("begin");
      const { job: gone } = await producer.insert({ kind: "task" }, undone);
      await producer.insertMany([{ kind: "task" }, { kind: "task" }], undone);
      if (world.backend === "postgres") assert.equal(await worker.get(gone.id), null);
      await producer.call("rollback", { tx: undone });
      assert.deepEqual(await world.query("SELECT id FROM river_job"), []);

      // Another queue: the notice that was rolled back counts for the pause between notices of the first.
      const tx = await producer.call<number>("begin");
      const second = { kind: "task", queue: "second" };
      const jobs = [await producer.insert(second, tx), ...(await producer.insertMany([second, second], tx))];
      if (world.backend === "postgres") {
        // Whatever was sent before has come by the time that this has. On SQLite nobody else can write meanwhile.
        const { job: marker } = await outsider.insert({ kind: "task", queue: "marker" });
        await worker.whenJob("job_completed", marker.id);
        await hear(1);
      }
      assert.deepEqual(await woken(), world.backend === "postgres" ? ['{"queue": "marker"}'] : []);
      for (const { job } of jobs) assert.deepEqual(worker.about(job.id), []);
      await producer.call("commit", { tx });
      for (const { job } of jobs) await worker.whenJob("job_completed", job.id);
      assert.equal((await woken()).at(-1), '{"queue": "second"}');
      await worker.call("stop");
    },
  );
}

interopTest("an insertion of no jobs is an error to Go, and none here", async (_, { peer, query }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  await assert.rejects(go.insertMany([]), /no jobs to insert/);
  assert.deepEqual(await ours.insertMany([]), []);
  assert.deepEqual(await query("SELECT id FROM river_job"), []);
});

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

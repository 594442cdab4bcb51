/** What a leader of one side does to the rows of the other, beyond promotion and rescue; and the times of retries. */
import assert from "node:assert/strict";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { failOften } from "../src/failed-often.ts";
import { idleLeader } from "../src/idle-leader.ts";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";
import { rowText, UNIQUE_NONCE } from "../src/row-text.ts";

failOnLeaks();

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `a leader of ${from} deletes what ${to} has completed, once it has been kept long enough`,
    async (_, world) => {
      const worker = await world.peer(to);
      await worker.work({ queues: { default: 5 }, kinds: ["task"], leaderElectionDisabled: true });
      const jobs = await worker.insertMany([
        { kind: "task" },
        plannedJob("task", [{ do: "completeTx" }]),
        plannedJob("task", [{ do: "cancel", message: "enough" }]),
        plannedJob("task", [{ do: "error", message: "boom", retryMs: 3_600_000 }]),
      ]);
      const ends = ["job_completed", "job_completed", "job_cancelled", "job_failed"];
      for (const [index, { job }] of jobs.entries()) await worker.whenJob(ends[index] ?? "", job.id);
      const leader = await world.peer(from);
      await leader.work({ queues: { elsewhere: 1 }, kinds: ["task"], completedRetentionMs: 1 });
      await world.until("SELECT count(*) = 0 AS done FROM river_job WHERE state = 'completed'");
      assert.deepEqual(
        (await worker.list({})).jobs.map(({ state }) => state).toSorted(),
        ["cancelled", "retryable"],
        "other states are kept longer",
      );
      await leader.call("stop");
      await worker.call("stop");
    },
  );

  interopTest(
    `a leader of ${from} deletes queues and notices that are out of use, and not the queues that ${to} works`,
    async (_, world) => {
      const worker = await world.peer(to);
      await worker.work({ queues: { worked: 1 }, kinds: ["task"], leaderElectionDisabled: true });
      await worker.call("pause", { name: "worked" });
      await world.query(
        "INSERT INTO river_queue (name, created_at, updated_at) VALUES ('left', '2020-01-01 00:00:00.000', '2020-01-01 00:00:00.000')",
      );
      if (world.backend === "sqlite") {
        await world.query(
          "INSERT INTO river_notification (created_at, payload, topic) VALUES ('2020-01-01 00:00:00.000', '{}', 'old')",
        );
      }
      const leader = await idleLeader(world, from);
      await world.until("SELECT count(*) = 0 AS done FROM river_queue WHERE name = 'left'");
      assert.notEqual((await leader.queue("worked"))?.pausedAt, null);
      if (world.backend === "sqlite") {
        await world.until("SELECT count(*) = 0 AS done FROM river_notification WHERE topic = 'old'");
        assert.notEqual((await world.query("SELECT id FROM river_notification")).length, 0, "the pause is young");
      }
      await leader.call("stop");
      await worker.call("stop");
    },
  );
}

interopTest("both sides insert the same row for a periodic job that runs at the start", async (_, world) => {
  const texts = [];
  for (const side of ["go", "ours"] as const) {
    const leader = await world.peer(side);
    const job = {
      kind: "task",
      args: { b: 1, a: 2 },
      queue: "periodic",
      priority: 2,
      tags: ["tag"],
      metadata: { keep: 1 },
    };
    await leader.work({
      queues: { elsewhere: 1 },
      kinds: ["task"],
      periodic: [{ id: "yearly", cron: "0 0 1 1 *", zone: "Asia/Tokyo", runOnStart: true, job }],
    });
    await world.until("SELECT count(*) = 1 AS done FROM river_job");
    await leader.call("stop");
    const [row] = (await leader.list({})).jobs;
    assert(row);
    assert.equal(row.state, "available");
    const { [UNIQUE_NONCE]: _nonce, ...metadata } = row.metadata;
    assert.deepEqual(plain(metadata), { keep: 1, periodic: true, "river:periodic_job_id": "yearly" });
    const columns = ["id", "createdAt", "scheduledAt"] as const;
    texts.push(rowText(row, { columns, metadata: [UNIQUE_NONCE], order: false }));
    await leader.call("delete", { id: row.id });
  }
  assert.equal(texts[0], texts[1]);
});

interopTest("R2 R5 R10 R11 both sides put retries off by the same default", async (_, world) => {
  const seconds: Readonly<Record<number, number>> = { 1: 16, 4: 625, 9: 10_000, 14: 50_625 };
  for (const side of ["go", "ours"] as const) {
    const worker = await world.peer(side);
    await worker.open({ queues: { default: 5 }, kinds: ["task"], leaderElectionDisabled: true });
    const ids = new Map<string, number>();
    for (const count of Object.keys(seconds).map(Number)) {
      const { job } = await worker.insert(plannedJob("task", [{ do: "error", message: "boom" }], { pending: true }));
      ids.set(job.id, count);
      await failOften(world, job.id, count);
    }
    await worker.call("start");
    for (const [id, count] of ids) {
      await worker.whenJob("job_failed", id);
      const row = await worker.get(id);
      const after = Temporal.Instant.from(row?.errors.at(-1)?.at ?? "").until(row?.scheduledAt ?? "");
      const expected = seconds[count] ?? 0;
      // The error and the retry have each their own look at the clock.
      const off = Math.abs(after.total("seconds") - expected);
      assert(off <= 0.1 * expected + 1, `${side}: ${after.toString()} after ${count} errors`);
    }
    await worker.call("stop");
  }
});

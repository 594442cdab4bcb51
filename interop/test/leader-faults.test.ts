/** Faults that River for Go's rescuer and cleaner have or had: shown where it still has them, and shown absent here. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { Client } from "pg";
import { idleLeader } from "../src/idle-leader.ts";
import { interopTest } from "../src/interop-test.ts";
import { PATIENCE } from "../src/patience.ts";
import { storedState } from "../src/stored-state.ts";

failOnLeaks();

interopTest(
  "a count of rescues that is no whole number stops Go's rescuer for all jobs, and not ours",
  async (_, world) => {
    const producer = await world.peer("go");
    await producer.open();
    const jobs = await producer.insertMany([
      { kind: "task", metadata: { "river:rescue_count": 1.5 } },
      { kind: "task" },
    ]);
    await world.query("UPDATE river_job SET state = 'running', attempt = 1, attempted_at = '2020-01-01'");
    const go = await idleLeader(world, "go");
    await pollUntil(() => /22P02/.test(go.log), PATIENCE);
    for (const { job } of jobs) assert.equal(await storedState(world, job.id), "running");
    await go.call("stop");
    const ours = await idleLeader(world, "ours");
    await world.until("SELECT count(*) = 0 AS done FROM river_job WHERE state = 'running'");
    await ours.call("stop");
  },
  { backends: ["postgres"] },
);

interopTest(
  "a mark of a cancellation that is no time stops Go's rescuer for all jobs, and not ours",
  async (_, world) => {
    const producer = await world.peer("go");
    await producer.open();
    const jobs = await producer.insertMany([
      { kind: "task", metadata: { cancel_attempted_at: "yesterday" } },
      { kind: "task" },
    ]);
    await world.query("UPDATE river_job SET state = 'running', attempt = 1, attempted_at = '2020-01-01 00:00:00.000'");
    const go = await idleLeader(world, "go");
    await pollUntil(() => /Error rescuing jobs/.test(go.log), PATIENCE);
    for (const { job } of jobs) assert.equal(await storedState(world, job.id), "running");
    await go.call("stop");
    const ours = await idleLeader(world, "ours");
    await world.until("SELECT count(*) = 0 AS done FROM river_job WHERE state = 'running'");
    await ours.call("stop");
  },
);

for (const side of ["go", "ours"] as const) {
  interopTest(
    `${side} does not rescue a job that ends between the look at stuck jobs and the rescue; older Go clients overwrote it`,
    async (t, world) => {
      const producer = await world.peer("go");
      await producer.open();
      const unique = { byArgs: true };
      const { job: ended } = await producer.insert({ kind: "task", unique });
      const { job: stuck } = await producer.insert({ kind: "task" });
      await world.query("UPDATE river_job SET state = 'running', attempt = 1, attempted_at = '2020-01-01'");

      // Its client ends it late, and its key is taken, in a transaction that the rescuer cannot see into yet.
      const late = new Client({ connectionString: world.address });
      late.on("error", () => {});
      await late.connect();
      t.after(() => late.end());
      await late.query("BEGIN");
      await late.query(`UPDATE river_job SET state = 'discarded', finalized_at = now() WHERE id = ${ended.id}`);
      await late.query(
        `INSERT INTO river_job (kind, args, max_attempts, unique_key, unique_states)
         SELECT kind, args, max_attempts, unique_key, unique_states FROM river_job WHERE id = ${ended.id}`,
      );
      const rescuer = await idleLeader(world, side);
      // Go waits for the locked row, and we leave it to the next pass.
      await world.until(
        `SELECT (SELECT state <> 'running' FROM river_job WHERE id = ${stuck.id}) OR EXISTS (
           SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0
         ) AS looked`,
      );
      await late.query("COMMIT");
      await world.until(`SELECT state = 'retryable' AS done FROM river_job WHERE id = ${stuck.id}`);
      const row = await producer.get(ended.id);
      assert.deepEqual([row?.state, row?.errors, row?.metadata["river:rescue_count"]], ["discarded", [], undefined]);
      await rescuer.call("stop");
      assert.doesNotMatch(rescuer.log, /23505|Error rescuing/);
    },
    { backends: ["postgres"] },
  );

  interopTest(
    `a rescue by ${side} leaves a row alone that has left running, though its key is taken; older Go clients failed`,
    async (_, world) => {
      const peer = await world.peer(side);
      await peer.open();
      const unique = { byArgs: true };
      const { job: ended } = await peer.insert({ kind: "task", unique });
      const { job: stuck } = await peer.insert({ kind: "task", args: { a: 1 }, unique });
      const claimed = "attempt = 1, attempted_at = '2020-01-01 00:00:00.000'";
      await world.query(
        `UPDATE river_job SET state = 'discarded', ${claimed}, finalized_at = '2020-01-01 00:00:01.000' WHERE id = ${ended.id}`,
      );
      await world.query(`UPDATE river_job SET state = 'running', ${claimed} WHERE id = ${stuck.id}`);
      const { duplicate } = await peer.insert({ kind: "task", unique });
      assert.equal(duplicate, false);
      for (const { id } of [ended, stuck]) await peer.call("rescue", { id });
      const rows = [await peer.get(ended.id), await peer.get(stuck.id)];
      assert.deepEqual(
        rows.map((row) => [row?.state, row?.errors.length]),
        [
          ["discarded", 0],
          ["retryable", 1],
        ],
      );
    },
  );

  interopTest(
    `the cleaner of ${side} deletes what is behind a whole batch of jobs that stay; older Go clients did not on SQLite`,
    async (_, world) => {
      const peer = await world.peer(side);
      await peer.open();
      const staying = Array.from({ length: 3 }, () => ({ kind: "task", queue: "staying" }));
      await peer.insertMany([...staying, ...Array.from({ length: 3 }, () => ({ kind: "task" }))]);
      await world.query(
        `UPDATE river_job SET finalized_at = '2020-01-01 00:00:00.000', state = ${world.backend === "postgres" ? "(" : ""}
           CASE queue WHEN 'staying' THEN 'cancelled' ELSE 'completed' END${world.backend === "postgres" ? ")::river_job_state" : ""}`,
      );
      // Jobs of a state that is kept for ever; with Go also of a queue that an extension has taken out.
      assert.equal(await peer.call("deleteBefore", { limit: 3, keepsCancelled: true }), 3);
      assert.equal((await peer.list({ queues: ["staying"] })).jobs.length, 3);
      if (side === "go") {
        const { job } = await peer.insert({ kind: "task" });
        await world.query(
          `UPDATE river_job SET finalized_at = '2020-01-01 00:00:00.000', state = 'completed' WHERE id = ${job.id}`,
        );
        assert.equal(await peer.call("deleteBefore", { limit: 3, queuesExcluded: ["staying"] }), 1);
      }
      const left = await peer.list({});
      assert.deepEqual(new Set(left.jobs.map(({ queue }) => queue)), new Set(["staying"]));
      assert.equal(await peer.call("deleteBefore", { limit: 3 }), 3, "nothing but their state has kept them");
    },
  );
}

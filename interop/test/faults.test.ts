/** Faults that River for Go has or had: shown there where it still has them, and shown absent here. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import type { JobRowJson } from "riverqueue";
import { failOften } from "../src/failed-often.ts";
import { idleLeader } from "../src/idle-leader.ts";
import { type InteropWorld, interopTest } from "../src/interop-test.ts";
import { PATIENCE } from "../src/patience.ts";
import type { PeerJobSpec } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";
import { storedState } from "../src/stored-state.ts";

failOnLeaks();

const REQUIRED = ["available", "pending", "running", "scheduled"] as const;
const PAST = "2020-01-01T00:00:00Z";

/** A due `retryable` job whose key another job has taken meanwhile. */
async function conflict(
  world: InteropWorld,
  states: readonly JobRowJson["state"][],
  holder: object,
): Promise<[string, string]> {
  const producer = await world.peer("go");
  await producer.open();
  const unique = { byArgs: true, byState: states };
  const { job: loser } = await producer.insert({ kind: "task", args: { a: 1 }, unique });
  await world.query(
    `UPDATE river_job SET state = 'retryable', attempt = 1, scheduled_at = '2020-01-01 00:00:00.000' WHERE id = ${loser.id}`,
  );
  const { job, duplicate } = await producer.insert({ kind: "task", args: { a: 1 }, unique, ...holder });
  assert.equal(duplicate, false);
  return [loser.id, job.id];
}

for (const holderState of ["available", "running"] as const) {
  interopTest(
    `a row that may not be discarded, as its key is held by one that is ${holderState}, stops Go's scheduler for all jobs, and not ours`,
    async (_, world) => {
      const [poison, holder] = await conflict(world, [...REQUIRED, "discarded"], {
        unique: { byArgs: true, byState: REQUIRED },
      });
      await world.query(`UPDATE river_job SET state = '${holderState}' WHERE id = ${holder}`);
      const producer = await world.peer("go");
      await producer.open();
      const { job: unrelated } = await producer.insert({ kind: "task", scheduledAt: PAST });

      const go = await idleLeader(world, "go");
      await pollUntil(() => /Error scheduling jobs/.test(go.log), PATIENCE);
      assert.equal(await storedState(world, unrelated.id), "scheduled");
      await go.call("stop");

      const ours = await idleLeader(world, "ours");
      await world.until(
        `SELECT count(*) = 1 AS done FROM river_job WHERE id = ${unrelated.id} AND state = 'available'`,
      );
      assert.deepEqual(
        [await storedState(world, poison), await storedState(world, holder)],
        ["retryable", holderState],
      );
      await ours.call("stop");
    },
  );
}

for (const side of ["go", "ours"] as const) {
  interopTest(
    `of two due jobs of one key ${side === "go" ? "Go discards both" : "we keep the one that holds it"}`,
    async (_, world) => {
      const [loser, holder] = await conflict(world, REQUIRED, { scheduledAt: PAST });
      const scheduler = await idleLeader(world, side);
      await world.until(`SELECT count(*) = 1 AS done FROM river_job WHERE id = ${loser} AND state = 'discarded'`);
      const row = await scheduler.get(loser);
      assert.equal(row?.metadata["unique_key_conflict"], "scheduler_discarded");
      assert.equal(
        await storedState(world, holder),
        side === "go" && world.backend === "postgres" ? "discarded" : "available",
      );
      await scheduler.call("stop");
    },
  );

  for (const [vector, errors] of [
    ["R19", 309],
    ["R20", 999],
  ] as const) {
    interopTest(
      `${vector} ${side} puts a job with ${errors} errors off for the longest time there is; older Go clients ran it at once`,
      async (_, world) => {
        const worker = await world.peer(side);
        await worker.open({ clientId: side, queues: { default: 1 }, kinds: ["task"] });
        const { job } = await worker.insert(
          plannedJob("task", [{ do: "error", message: "boom" }], { maxAttempts: 2_000, pending: true }),
        );
        await failOften(world, job.id, errors);
        await worker.call("start");
        await worker.whenJob("job_failed", job.id);
        const row = await worker.get(job.id);
        assert.equal(row?.state, "retryable");
        assert.equal(row.errors.length, errors + 1);
        const years = Temporal.Now.instant().until(row.scheduledAt).total({ unit: "hours" }) / (365.25 * 24);
        assert(years > 292 && years < 293, `${years} years`);
        await worker.call("stop");
      },
    );
  }

  interopTest(
    `${side} cancels what bears the mark of a cancellation also where the retry or the snooze is due within seconds; older Go clients left it available`,
    async (_, world) => {
      const worker = await world.peer(side);
      await worker.work({ clientId: side, queues: { default: 2 }, kinds: ["task"] });
      const metadata = { cancel_attempted_at: "2024-01-01T00:00:00Z" };
      const jobs = await worker.insertMany([
        plannedJob("task", [{ do: "error", message: "boom", retryMs: 0 }], { metadata }),
        plannedJob("task", [{ do: "snooze", ms: 0 }], { metadata }),
      ]);
      const ends = [];
      for (const { job } of jobs) {
        await worker.whenJob("job_cancelled", job.id);
        const row = await worker.get(job.id);
        ends.push([row?.state, row?.attempt, row?.errors.map(({ error }) => error)]);
      }
      assert.deepEqual(ends, [
        ["cancelled", 1, ["boom"]],
        ["cancelled", 1, []],
      ]);
      await worker.call("stop");
    },
  );
}

function twins(a: number): PeerJobSpec[] {
  return Array.from({ length: 2 }, () => ({ kind: "task", args: { a }, unique: { byArgs: true } }));
}

interopTest(
  "of two jobs of one key in one insertion the second is a duplicate; Go refuses both",
  async (_, { peer, query, backend }) => {
    const [ours, go] = [await peer("ours"), await peer("go")];
    await Promise.all([ours.open(), go.open()]);
    const refusal = backend === "postgres" ? /SQLSTATE 21000/ : /unique key appears more than once in batch/;
    await assert.rejects(go.insertMany(twins(1)), refusal);
    assert.deepEqual(await query("SELECT id FROM river_job"), []);
    const [first, second] = await ours.insertMany(twins(2));
    assert.deepEqual([first?.duplicate, second?.duplicate], [false, true]);
    assert.equal(first?.job.id, second?.job.id);
  },
);

interopTest(
  "a job that has lost the states of its key stops Go from promoting the one that holds it, and not us",
  async (_, world) => {
    for (const side of ["go", "ours"] as const) {
      const producer = await world.peer("go");
      await producer.open();
      const unique = { byArgs: true };
      const args = { of: side };
      const { job: holder } = await producer.insert({ kind: "task", args, unique, scheduledAt: PAST });
      const { job: other } = await producer.insert({ kind: "task", args });
      await world.query(
        `UPDATE river_job SET state = 'retryable', attempt = 1, scheduled_at = '2020-01-01', unique_states = NULL,
         unique_key = (SELECT unique_key FROM river_job WHERE id = ${holder.id}) WHERE id = ${other.id}`,
      );
      const scheduler = await idleLeader(world, side);
      await world.until(`SELECT state = 'available' AS done FROM river_job WHERE id = ${other.id}`);
      assert.equal(await storedState(world, holder.id), side === "go" ? "discarded" : "available");
      await scheduler.call("stop");
    }
  },
  { backends: ["postgres"] },
);

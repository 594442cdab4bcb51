/** Faults that River for Go has or had: shown there where it still has them, and shown absent here. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import type { JobRowJson } from "riverqueue";
import { type InteropWorld, interopTest } from "../src/interop-test.ts";
import { PATIENCE } from "../src/patience.ts";
import type { Peer } from "../src/peer.ts";
import type { PeerJobSpec, PeerSide } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";

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

async function leader(world: InteropWorld, side: PeerSide): Promise<Peer> {
  const peer = await world.peer(side);
  await peer.work({ clientId: side, queues: { elsewhere: 1 }, kinds: ["task"] });
  return peer;
}

async function stateOf({ query }: InteropWorld, id: string): Promise<string> {
  return String((await query(`SELECT CAST(state AS text) AS state FROM river_job WHERE id = ${id}`))[0]?.["state"]);
}

interopTest("a row that may not be discarded stops Go's scheduler for all jobs, and not ours", async (_, world) => {
  const [poison] = await conflict(world, [...REQUIRED, "discarded"], {});
  const producer = await world.peer("go");
  await producer.open();
  const { job: unrelated } = await producer.insert({ kind: "task", scheduledAt: PAST });

  const go = await leader(world, "go");
  await pollUntil(() => /Error scheduling jobs/.test(go.log), PATIENCE);
  assert.equal(await stateOf(world, unrelated.id), "scheduled");
  await go.call("stop");

  const ours = await leader(world, "ours");
  await world.until(`SELECT count(*) = 1 AS done FROM river_job WHERE id = ${unrelated.id} AND state = 'available'`);
  assert.equal(await stateOf(world, poison), "retryable");
  await ours.call("stop");
});

for (const side of ["go", "ours"] as const) {
  interopTest(
    `of two due jobs of one key ${side === "go" ? "Go discards both" : "we keep the one that holds it"}`,
    async (_, world) => {
      const [loser, holder] = await conflict(world, REQUIRED, { scheduledAt: PAST });
      const scheduler = await leader(world, side);
      await world.until(`SELECT count(*) = 1 AS done FROM river_job WHERE id = ${loser} AND state = 'discarded'`);
      const row = await scheduler.get(loser);
      assert.equal(row?.metadata["unique_key_conflict"], "scheduler_discarded");
      assert.equal(
        await stateOf(world, holder),
        side === "go" && world.backend === "postgres" ? "discarded" : "available",
      );
      await scheduler.call("stop");
    },
  );

  interopTest(
    `${side} puts a job with 310 errors off for the longest time there is; older Go clients ran it at once`,
    async (_, world) => {
      const worker = await world.peer(side);
      await worker.open({ clientId: side, queues: { default: 1 }, kinds: ["task"] });
      const { job } = await worker.insert(
        plannedJob("task", [{ do: "error", message: "boom" }], { maxAttempts: 1_000, pending: true }),
      );
      const failed = '{"at":"2024-01-01T00:00:00Z","attempt":1,"error":"x","trace":""}';
      await world.query(
        world.backend === "postgres"
          ? `UPDATE river_job SET state = 'available', errors = array_fill('${failed}'::jsonb, array[310]) WHERE id = ${job.id}`
          : `UPDATE river_job SET state = 'available', errors = jsonb('[${Array.from({ length: 310 }, () => failed).join(",")}]') WHERE id = ${job.id}`,
      );
      await worker.call("start");
      await worker.whenJob("job_failed", job.id);
      const row = await worker.get(job.id);
      assert.equal(row?.state, "retryable");
      assert.equal(row.errors.length, 311);
      const years = Temporal.Now.instant().until(row.scheduledAt).total({ unit: "hours" }) / (365.25 * 24);
      assert(years > 292 && years < 293, `${years} years`);
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
      const scheduler = await leader(world, side);
      await world.until(`SELECT state = 'available' AS done FROM river_job WHERE id = ${other.id}`);
      assert.equal(await stateOf(world, holder.id), side === "go" ? "discarded" : "available");
      await scheduler.call("stop");
    }
  },
  { backends: ["postgres"] },
);

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
    const go = await leader(world, "go");
    await pollUntil(() => /22P02/.test(go.log), PATIENCE);
    for (const { job } of jobs) assert.equal(await stateOf(world, job.id), "running");
    await go.call("stop");
    const ours = await leader(world, "ours");
    await world.until("SELECT count(*) = 0 AS done FROM river_job WHERE state = 'running'");
    await ours.call("stop");
  },
  { backends: ["postgres"] },
);

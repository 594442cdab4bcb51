/** One leader for both sides: hand-over, resignation, leaders that are killed or stopped. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { type InteropWorld, interopTest } from "../src/interop-test.ts";
import { PATIENCE } from "../src/patience.ts";
import { DIRECTIONS, type PeriodicSpec } from "../src/peer-values.ts";

failOnLeaks();

const everySecond = (side: string): PeriodicSpec => ({
  id: "every_second",
  cron: "@every 1s",
  job: { kind: "task", queue: "slots", tags: [`of_${side}`] },
});

async function leaderOf({ query }: InteropWorld): Promise<{ id: string; electedAt: string } | null> {
  const [row] = await query("SELECT leader_id AS id, CAST(elected_at AS text) AS elected FROM river_leader");
  return row === undefined ? null : { id: String(row["id"]), electedAt: String(row["elected"]) };
}

function leads(world: InteropWorld, id: string): Promise<unknown> {
  return pollUntil(async () => (await leaderOf(world))?.id === id, PATIENCE);
}

/** Distinct slots that were inserted; fails when one was inserted twice. */
async function slots({ query }: InteropWorld): Promise<number> {
  const [row] = await query(
    "SELECT count(*) AS jobs, count(DISTINCT scheduled_at) AS slots FROM river_job WHERE queue = 'slots'",
  );
  assert.equal(Number(row?.["jobs"]), Number(row?.["slots"]), "a slot was inserted twice");
  return Number(row?.["slots"]);
}

/**
 * Resolves in the first half of a second. A slot is inserted up to a tenth of a second before its time, by both sides, and a
 * hand-over within that tenth could have it inserted again.
 */
function awayFromSlots(): Promise<unknown> {
  return pollUntil(() => Date.now() % 1_000 > 50 && Date.now() % 1_000 < 500);
}

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `JS-90 ${to} leads once ${from} has stopped; periodic jobs are inserted once a slot by whoever leads`,
    async (_, world) => {
      const settings = { queues: { default: 1 }, kinds: ["task"] };
      const first = await world.peer(from);
      await first.work({ ...settings, clientId: "first", periodic: [everySecond(from)] });
      await leads(world, "first");
      const second = await world.peer(to);
      await second.work({ ...settings, clientId: "second", periodic: [everySecond(to)] });
      await pollUntil(async () => (await slots(world)) >= 3, PATIENCE);
      await awayFromSlots();
      await first.call("stop");
      await leads(world, "second");
      const before = await slots(world);
      await pollUntil(async () => (await slots(world)) >= before + 3, PATIENCE);
      const third = await world.peer(from);
      await third.work({ ...settings, clientId: "third", periodic: [everySecond(from)] });
      await awayFromSlots();
      await second.call("stop");
      await leads(world, "third");
      const between = await slots(world);
      await pollUntil(async () => (await slots(world)) >= between + 2, PATIENCE);
      await third.call("stop");
      const [row] = await world.query(
        "SELECT count(*) AS strays FROM river_job WHERE queue = 'slots' AND state <> 'available'",
      );
      assert.equal(Number(row?.["strays"]), 0);
      const jobs = (await first.list({ queues: ["slots"], limit: 1_000 })).jobs;
      for (const job of jobs) {
        assert.equal(Date.parse(job.scheduledAt) % 1_000, 0, "a job bears the time of its slot");
        assert.equal(job.metadata["periodic"], true);
        assert.equal(job.metadata["river:periodic_job_id"], "every_second");
      }
      assert.deepEqual(new Set(jobs.flatMap(({ tags }) => tags)), new Set(["of_ours", "of_go"]));
    },
  );

  interopTest(`${from} asks the leader to resign, which is ${to}`, async (_, world) => {
    const leader = await world.peer(to);
    await leader.work({ clientId: "leader", queues: { default: 1 }, kinds: ["task"] });
    await leads(world, "leader");
    const before = await leaderOf(world);
    const other = await world.peer(from);
    await other.open();
    await other.call("requestResign");
    await pollUntil(async () => {
      const now = await leaderOf(world);
      return now !== null && now.electedAt !== before?.electedAt;
    }, PATIENCE);
    await leader.call("stop");
  });

  interopTest(`${to} takes over from ${from}, whose process was killed while it led`, async (_, world) => {
    const first = await world.peer(from);
    await first.work({ clientId: "first", queues: { default: 1 }, kinds: ["task"] });
    await leads(world, "first");
    const second = await world.peer(to);
    await second.work({ clientId: "second", queues: { default: 1 }, kinds: ["task"] });
    await first.kill();
    await leads(world, "second");
    await second.call("stop");
  });

  interopTest(
    `C26 ${from} leads, is stopped past its term and goes on while ${to} leads: no slot twice`,
    async (_, world) => {
      const first = await world.peer(from);
      await first.work({ clientId: "first", queues: { default: 1 }, kinds: ["task"], periodic: [everySecond(from)] });
      await leads(world, "first");
      await pollUntil(async () => (await slots(world)) >= 2, PATIENCE);
      const second = await world.peer(to);
      await second.work({ clientId: "second", queues: { default: 1 }, kinds: ["task"], periodic: [everySecond(to)] });
      await first.kill("SIGSTOP");
      await leads(world, "second");
      const before = await slots(world);
      await first.kill("SIGCONT");
      await pollUntil(async () => (await slots(world)) >= before + 5, PATIENCE);
      assert.equal((await leaderOf(world))?.id, "second", "who was stopped does not take the lead back");
      await awayFromSlots();
      await second.call("stop");
      await leads(world, "first");
      const after = await slots(world);
      await pollUntil(async () => (await slots(world)) >= after + 2, PATIENCE);
      await first.call("stop");
      await slots(world);
    },
    // A process that is stopped in the middle of a write holds the lock of a SQLite file for as long.
    { backends: ["postgres"] },
  );
}

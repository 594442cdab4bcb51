/** One leader for both sides: hand-over, resignation, leaders that are killed. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { interopTest } from "../src/interop-test.ts";
import { leaderOf, leads } from "../src/leader-row.ts";
import { PATIENCE } from "../src/patience.ts";
import { DIRECTIONS } from "../src/peer-values.ts";
import { awayFromSlots, everySecond, slots } from "../src/slots.ts";

failOnLeaks();

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
      await pollUntil(async () => (await slots(world)).all.length >= 3, PATIENCE);
      await awayFromSlots(to);
      await first.call("stop");
      await leads(world, "second");
      const before = (await slots(world)).all.length;
      await pollUntil(async () => (await slots(world)).all.length >= before + 3, PATIENCE);
      const third = await world.peer(from);
      await third.work({ ...settings, clientId: "third", periodic: [everySecond(from)] });
      await awayFromSlots(from);
      await second.call("stop");
      await leads(world, "third");
      const between = (await slots(world)).all.length;
      await pollUntil(async () => (await slots(world)).all.length >= between + 2, PATIENCE);
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
      const { go, ours } = await slots(world);
      assert(go.length > 0 && ours.length > 0);
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
}

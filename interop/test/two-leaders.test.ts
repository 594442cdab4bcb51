/** Two clients that could both take themselves for the leader: one that was suspended, and two of one client ID. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { type InteropWorld, interopTest } from "../src/interop-test.ts";
import { leaderOf, leads } from "../src/leader-row.ts";
import { PATIENCE } from "../src/patience.ts";
import type { Peer } from "../src/peer.ts";
import { DIRECTIONS } from "../src/peer-values.ts";
import { awayFromSlots, everySecond, type Slots, slots } from "../src/slots.ts";

failOnLeaks();

const SQLITE_BUSY = 5;

/** Stops a process where it stands, but on SQLite never while it writes: it would keep the lock, and nobody could lead. */
async function suspend({ backend, query }: InteropWorld, peer: Peer): Promise<void> {
  await pollUntil(async () => {
    await peer.kill("SIGSTOP");
    if (backend === "postgres") return true;
    try {
      await query("BEGIN IMMEDIATE");
      await query("ROLLBACK");
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      await peer.kill("SIGCONT");
      return false;
    }
  }, PATIENCE);
}

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `C26 ${from} leads, is stopped past its term and goes on while ${to} leads: no slot twice`,
    async (_, world) => {
      const made = (): Promise<Slots> => slots(world, from === "go");
      const first = await world.peer(from);
      await first.work({ clientId: "first", queues: { default: 1 }, kinds: ["task"], periodic: [everySecond(from)] });
      await leads(world, "first");
      await pollUntil(async () => (await made())[from].length >= 2, PATIENCE);
      const second = await world.peer(to);
      await second.work({ clientId: "second", queues: { default: 1 }, kinds: ["task"], periodic: [everySecond(to)] });
      await suspend(world, first);
      await leads(world, "second");
      const before = (await made())[to].length;
      await awayFromSlots(from);
      await first.kill("SIGCONT");
      await pollUntil(async () => (await made())[to].length >= before + 5, PATIENCE);
      assert.equal((await leaderOf(world))?.id, "second", "who was stopped does not take the lead back");
      await awayFromSlots(from);
      await second.call("stop");
      const served = (await made())[to];
      for (const [index, at] of served.slice(1).entries())
        assert.equal(at - (served[index] ?? 0), 1_000, "no slot is missing");
      await leads(world, "first");
      const after = (await made())[from].length;
      await pollUntil(async () => (await made())[from].length >= after + 2, PATIENCE);
      await first.call("stop");
      await made();
    },
  );

  interopTest(
    `C26 ${from} and ${to} have one client ID, and only one of them leads: no slot twice`,
    async (_, world) => {
      const settings = { clientId: "twin", queues: { default: 1 }, kinds: ["task"] };
      const first = await world.peer(from);
      await first.work({ ...settings, periodic: [everySecond(from)] });
      await leads(world, "twin");
      const second = await world.peer(to);
      await second.work({ ...settings, periodic: [everySecond(to)] });
      // Longer than a follower waits between two tries.
      await pollUntil(async () => (await slots(world)).all.length >= 10, PATIENCE);
      assert.equal((await slots(world))[to].length, 0);
      await awayFromSlots(to);
      await first.call("stop");
      await pollUntil(async () => (await slots(world))[to].length >= 2, PATIENCE);
      await second.call("stop");
      await slots(world);
    },
  );
}

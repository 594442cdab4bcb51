/**
 * A mixed fleet under random kills and changes of the leader: every job ends as its plan says, and none is lost.
 * `RIVER_FLEET_SEED` draws the kills of an earlier run again.
 */
import assert from "node:assert/strict";
import { failOnLeaks, fleetSeed, scaled, seededRandom } from "@riverqueue/internal-test-kit";
import { type InteropWorld, interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import type { PeerJobSpec, PeerSide } from "../src/peer-values.ts";
import { type AttemptPlan, plannedJob } from "../src/planned-job.ts";

failOnLeaks();

const JOBS = Math.ceil(scaled(20_000));
const KILLS = 4 + Math.ceil(scaled(60));
const LONG_MS = 900_000;

interface Fate {
  readonly plan: readonly AttemptPlan[];
  readonly options?: Partial<PeerJobSpec>;
  readonly state: string;
}

/** A killed attempt uses a step of the plan up, which changes no end. */
const FATES: readonly Fate[] = [
  { plan: [{ do: "complete" }], state: "completed" },
  { plan: [{ do: "output", value: { n: 1 } }], state: "completed" },
  { plan: [{ do: "error", message: "once", retryMs: 0 }, { do: "complete" }], state: "completed" },
  { plan: [{ do: "snooze", ms: 0 }, { do: "completeTx" }], state: "completed" },
  { plan: [{ do: "error", message: "fatal" }], options: { maxAttempts: 1 }, state: "discarded" },
  { plan: [{ do: "cancel", message: "enough" }], state: "cancelled" },
];

const SETTINGS = {
  queues: { default: 20 },
  kinds: ["task"],
  pollIntervalMs: 100,
  fetchCooldownMs: 20,
  jobTimeoutMs: 2_900,
  rescueAfterMs: 3_000,
  rescuerIntervalMs: 1_000,
} as const;

class Fleet {
  readonly #world: InteropWorld;
  readonly #random: () => number;
  readonly working: Peer[] = [];
  #hired = 0;

  constructor(world: InteropWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  async hire(side: PeerSide): Promise<void> {
    const peer = await this.#world.peer(side);
    await peer.work({ clientId: `${side}-${++this.#hired}`, ...SETTINGS });
    this.working.push(peer);
  }

  /** Kills one of them and puts another of its side in its place. */
  async replaceSomebody(): Promise<void> {
    const victim = this.#somebody();
    this.working.splice(this.working.indexOf(victim), 1);
    await victim.kill();
    await this.hire(victim.side);
  }

  async moveLead(): Promise<void> {
    await this.#somebody().call("requestResign");
  }

  #somebody(): Peer {
    const drawn = this.working[Math.floor(this.#random() * this.working.length)];
    assert(drawn);
    return drawn;
  }
}

interopTest(
  `JS-90 two of ours and two of Go's work ${JOBS} jobs through ${KILLS} kills`,
  async (t, world) => {
    const random = seededRandom(fleetSeed(t), "kills");
    const producers = [await world.peer("ours"), await world.peer("go")];
    for (const producer of producers) await producer.open();
    const fleet = new Fleet(world, random);
    for (const side of ["ours", "go", "ours", "go"] as const) await fleet.hire(side);
    const wanted = new Map<string, string>();
    const done = "state IN ('completed', 'cancelled', 'discarded')";
    const batches = KILLS + 1;
    for (let batch = 0; batch < batches; batch++) {
      const size = Math.ceil(JOBS / batches);
      const fates = Array.from({ length: size }, (_, n) => FATES[n % FATES.length] as Fate);
      const jobs = fates.map(({ plan, options }) => plannedJob("task", plan, options));
      const inserted = (await producers[batch % 2]?.insertMany(jobs)) ?? [];
      for (const [index, { job }] of inserted.entries()) wanted.set(job.id, fates[index]?.state ?? "");
      // Somewhere in the midst of its work.
      const goal = Math.floor(size * (batch + 0.9 * random()));
      await world.until(`SELECT count(*) >= ${goal} AS reached FROM river_job WHERE ${done}`, LONG_MS);
      if (batch < KILLS) await fleet.replaceSomebody();
      await fleet.moveLead();
    }
    await world.until(`SELECT count(*) = 0 AS done FROM river_job WHERE NOT ${done}`, LONG_MS);
    for (const peer of fleet.working) await peer.call("stop");
    const rows = await world.query("SELECT id, CAST(state AS text) AS state FROM river_job");
    const ends = new Map(rows.map(({ id, state }) => [String(id), String(state)]));
    assert.equal(ends.size, wanted.size, "none lost and none doubled");
    for (const [id, state] of wanted) assert.equal(ends.get(id), state, `job ${id}`);
    t.diagnostic(`${rows.length} jobs, ${KILLS} kills`);
  },
  { timeout: 1_200_000 },
);

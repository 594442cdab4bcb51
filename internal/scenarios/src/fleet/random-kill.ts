/** Works a fleet's jobs in several processes, some of which are killed at random moments while jobs keep coming. */
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom, type SpawnedNode, spawnNode } from "@riverqueue/internal-test-kit";
import { Client } from "riverqueue";
import { fleetJob } from "./fleet-job.ts";
import type { FleetBackend, FleetRecord } from "./fleet-store.ts";
import { fleetTiming } from "./fleet-timing.ts";
import { openStore } from "./open-store.ts";

/** See {@link runRandomKill}. */
export interface RandomKillOptions {
  readonly backend: FleetBackend;
  readonly address: string;
  /** The same seed plans the same kills and the same attempts. */
  readonly seed: string;
  readonly processes: number;
  readonly jobs: number;
  /** How long jobs are inserted and processes killed, in milliseconds. */
  readonly durationMs: number;
  /** Divisor of the fleet's intervals. */
  readonly scale: number;
  /** How long the survivors may take for what is left, in milliseconds. */
  readonly drainMs: number;
}

/** What happened. */
export interface RandomKillResult {
  readonly record: FleetRecord;
  /** IDs of the clients that were killed. */
  readonly killed: ReadonlySet<string>;
  /** How the survivors ended that did not end well. */
  readonly badExits: readonly string[];
  readonly unfinished: number;
}

/** Mean time between kills: real, and at least as long as a new process needs until it works. */
const [KILL_PAUSE_MS, LEAST_KILL_PAUSE_MS] = [3_000, 750];
const INSERTS_PER_RUN = 100;
const LOOK_MS = 100;
const START_DEADLINE_MS = 120_000;

interface Member {
  readonly clientId: string;
  readonly child: SpawnedNode;
}

/** Runs it to the end: resolves when every job is final, or `drainMs` after the last kill. */
export async function runRandomKill(t: TestContext, options: RandomKillOptions): Promise<RandomKillResult> {
  const store = openStore(options.backend, options.address);
  try {
    await store.setUp();
    const fleet = new Fleet(t, options);
    // The time of the run is for kills in the midst of work; a process that is killed while it starts proves little.
    await fleet.works();
    const inserting = insertJobs(new Client(store.driver), options);
    // A failed insertion is reported once the kills are over.
    inserting.catch(() => {});
    const until = performance.now() + options.durationMs;
    for (const kill of kills(options)) {
      if (performance.now() + kill.afterMs >= until) break;
      await pause(kill.afterMs);
      const victim = await fleet.replace(kill.which);
      if (options.scale > 1) await store.shortenLease(victim, fleetTiming(options.scale).leaseMs);
    }
    await inserting;
    const end = performance.now() + options.drainMs;
    while ((await store.count("unfinished")) > 0 && performance.now() < end) await pause(LOOK_MS);
    const unfinished = await store.count("unfinished");
    // A late handler waits for a rescue, which does not come once nobody leads any more.
    const badExits = unfinished === 0 ? await fleet.stop() : [];
    return { record: await store.read(), killed: fleet.killed, badExits, unfinished };
  } finally {
    await store.close();
  }
}

/** The moments of the kills, each from the one before, and the victims, as shares of the fleet. */
function* kills({ seed, scale }: RandomKillOptions): Generator<{ readonly afterMs: number; readonly which: number }> {
  const random = seededRandom(seed, "kills");
  const meanMs = Math.max(KILL_PAUSE_MS / scale, LEAST_KILL_PAUSE_MS);
  for (;;) yield { afterMs: 2 * meanMs * random(), which: random() };
}

async function insertJobs(client: Client, { jobs, durationMs }: RandomKillOptions): Promise<void> {
  const size = Math.ceil(jobs / INSERTS_PER_RUN);
  for (let first = 0; first < jobs; first += size) {
    const count = Math.min(size, jobs - first);
    await client.insertMany(
      Array.from({ length: count }, (_, index) => ({ job: fleetJob, args: { n: first + index } })),
    );
    await pause(durationMs / INSERTS_PER_RUN);
  }
}

/** The processes that work now, and the names of those that were killed. */
class Fleet {
  readonly killed: Set<string> = new Set();
  readonly #spawn: (clientId: string) => SpawnedNode;
  readonly #members: Member[] = [];
  #born = 0;

  constructor(t: TestContext, { backend, address, seed, scale, processes }: RandomKillOptions) {
    const script = new URL("fleet-member.ts", import.meta.url);
    this.#spawn = (clientId) => spawnNode(t, script, [backend, address, clientId, seed, String(scale)]);
    for (let n = 0; n < processes; n++) this.#add();
  }

  /** Resolves when every process of it works. */
  async works(): Promise<void> {
    await Promise.all(
      this.#members.map(({ child }) =>
        child.next((message) => message === "working", { deadlineMs: START_DEADLINE_MS }),
      ),
    );
  }

  /** Kills one and starts another in its place; the name of the victim. */
  async replace(which: number): Promise<string> {
    const [victim] = this.#members.splice(Math.floor(which * this.#members.length), 1);
    if (victim === undefined) throw new Error("a fleet has at least one process");
    this.killed.add(victim.clientId);
    const { signal } = await victim.child.kill();
    if (signal !== "SIGKILL") throw new Error(`${victim.clientId} ended before it was killed: ${victim.child.log}`);
    this.#add();
    return victim.clientId;
  }

  /** Stops all gracefully. */
  async stop(): Promise<string[]> {
    for (const { child } of this.#members) child.send("stop");
    const ends = this.#members.map(async ({ clientId, child }) => {
      const { code, signal } = await child.exit({ deadlineMs: 60_000 });
      return code === 0 ? null : `${clientId} ended with ${code ?? signal}: ${child.log}`;
    });
    return (await Promise.all(ends)).filter((end) => end !== null);
  }

  #add(): void {
    const clientId = `member-${this.#born++}`;
    this.#members.push({ clientId, child: this.#spawn(clientId) });
  }
}

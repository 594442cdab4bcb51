/** Clients that start and stop again and again, eight at a time, while another process inserts: nothing is left behind. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { failOnLeaks, leaseSqliteDatabase, pollUntil, spawnNode, testScale } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { Client, type ClientOptions, type StopOptions, Workers } from "riverqueue";
import { fleetJob } from "../src/fleet/fleet-job.ts";
import type { FleetBackend, FleetStore } from "../src/fleet/fleet-store.ts";
import { heldResources, type HeldResources } from "../src/fleet/held-resources.ts";
import { openStore } from "../src/fleet/open-store.ts";

failOnLeaks();

const TIMES = testScale > 4 ? Math.ceil(500 / testScale) : 500;
const LANES = 8;
const LONG = { deadlineMs: 60_000 };
/** Every way to stop, in turn. */
const STOPS: readonly StopOptions[] = [
  {},
  { mode: "cancel" },
  { timeout: { milliseconds: 1 } },
  { signal: AbortSignal.abort() },
];

/** The database as the test looks at it, apart from the clients. */
interface Observed {
  readonly backend: FleetBackend;
  readonly address: string;
  /** Sessions of the server that belong to the clients of this process. */
  readonly sessions: () => Promise<number>;
}

test(`JS-103 ${LANES} lanes of starts and stops on SQLite leave no timer, listener, thread or running row`, async (t) => {
  const { path } = await leaseSqliteDatabase(t);
  await startAndStop(t, { backend: "sqlite", address: path, sessions: () => Promise.resolve(0) });
});

postgresTest(
  `JS-103 ${LANES} lanes of starts and stops on Postgres leave no timer, listener, session, thread or running row`,
  async (t) => {
    const database = await leasePostgresDatabase(t);
    const url = new URL(database.url);
    url.searchParams.set("application_name", "stress");
    await startAndStop(t, {
      backend: "postgres",
      address: url.href,
      async sessions() {
        const rows = await database.query(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'stress' AND datname = current_database()",
        );
        return Number(rows[0]?.["n"]);
      },
    });
  },
);

/** What is held once what is about to be let go has been. */
async function settledResources(wanted: HeldResources): Promise<HeldResources> {
  await pollUntil(() => isDeepStrictEqual(heldResources(), wanted), { deadlineMs: 5_000 }).catch(() => {});
  return heldResources();
}

async function startAndStop(t: TestContext, observed: Observed): Promise<void> {
  const { backend, address, sessions } = observed;
  const inserter = spawnNode(t, new URL("../src/fleet/fleet-inserter.ts", import.meta.url), [backend, address]);
  await inserter.next((message) => message === "inserting", LONG);
  const elsewhere = await sessions();
  const { active } = heldResources();
  // The first round has what is made once a process: threads for files, caches, the listeners of modules.
  await runLanes(observed, LANES);
  const before = { ...heldResources(), active };
  const worked = await runLanes(observed, TIMES);
  assert.ok(worked > 0, "jobs were worked meanwhile");

  await pollUntil(async () => (await sessions()) === elsewhere, LONG);
  assert.deepEqual(await settledResources(before), before);
  inserter.send("stop");
  const { inserted } = await inserter.next<{ readonly inserted: number }>(() => true, LONG);
  assert.equal((await inserter.exit(LONG)).code, 0, inserter.log);

  const store = openStore(backend, address);
  assert.equal(await store.count("running"), 0);
  const client = new Client(store.driver);
  const { jobs } = await client.jobs.list({ states: ["completed"], limit: 10_000 });
  assert.ok(
    jobs.every(({ attempt }) => attempt === 1),
    "an interrupted attempt does not count",
  );
  assert.equal(jobs.length + (await store.count("unfinished")), inserted);
  await store.close();
}

/** `times` starts and stops in all; how many handlers were called. */
async function runLanes(observed: Observed, times: number): Promise<number> {
  let [left, calls] = [times, 0];
  const lane = async (number: number): Promise<void> => {
    const store = openStore(observed.backend, observed.address);
    for (; left > 0;) {
      const turn = left--;
      await once(store, number, turn, () => calls++);
    }
    assert.equal(store.lent(), 0, "every connection was given back");
    await store.close();
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  return calls;
}

/** One life of a client. Two of three are stopped once they have worked, the others as soon as they have started. */
async function once(store: FleetStore, lane: number, turn: number, called: () => void): Promise<void> {
  const worked = Promise.withResolvers<void>();
  const options: ClientOptions = {
    clientId: `lane-${lane}-${turn}`,
    queues: { default: { maxWorkers: 5, fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 20 } } },
    workers: new Workers().add(fleetJob, () => {
      called();
      worked.resolve();
    }),
    logger: false,
  };
  const client = new Client(store.driver, options);
  const events = client.subscribe();
  const run = await client.start();
  if (turn % 3 > 0) await worked.promise;
  await run.stop(STOPS[turn % STOPS.length]);
  await run.completed;
  // A subscription ends with its client.
  for await (const _ of events);
}

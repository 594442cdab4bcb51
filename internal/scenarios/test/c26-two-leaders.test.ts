/** Leaders that go on believing that they lead: frozen past their term, with the row gone, with one ID for two. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { failOnLeaks, pollUntil, type SpawnedNode, spawnNode, testScale } from "@riverqueue/internal-test-kit";
import { pgBouncerTest, startPgBouncer } from "@riverqueue/internal-test-kit/pgbouncer";
import { type LeasedPostgresDatabase, leasePostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { onPostgres, postgresDatabase, stopFirst } from "../src/database.ts";
import { openScene, type Scene } from "../src/scene.ts";
import { leadingOptions, readSlot, type Slot, SLOTS } from "./testdata/slots.ts";

failOnLeaks();

/** At least twice the 100 ms by which a leader may be ahead of time. */
const SLOT_MS = Math.max(250, 1_000 / testScale);
/** A lease that is waited for lasts ten seconds more than the interval of elections. */
const LONG = { deadlineMs: 60_000 };

async function slotsOf(lease: LeasedPostgresDatabase): Promise<Slot[]> {
  return (await lease.query(SLOTS)).map(readSlot);
}

/** Resolves once `name` has inserted `count` jobs more than it had. */
async function insertsMore(lease: LeasedPostgresDatabase, name: string, count: number): Promise<void> {
  const countOf = async (): Promise<number> => (await slotsOf(lease)).filter(({ by }) => by === name).length;
  const before = await countOf();
  await pollUntil(async () => (await countOf()) >= before + count, LONG);
}

/** No slot twice, and none missing but while the leadership passed on, which is where the name of the inserter changes. */
function assertEachSlotOnce(slots: readonly Slot[], handOvers: readonly string[]): void {
  const times = slots.map(({ atMs }) => atMs);
  assert.equal(new Set(times).size, times.length, `a slot twice: ${JSON.stringify(times)}`);
  const inserters: string[] = [];
  for (const [index, { by, atMs }] of slots.entries()) {
    const before = slots[index - 1];
    if (before?.by === by) assert.equal(atMs - before.atMs, SLOT_MS, `a slot of ${by} is missing before ${atMs}`);
    else {
      inserters.push(by);
      assert.ok(before === undefined || atMs > before.atMs);
    }
  }
  assert.deepEqual(inserters, handOvers);
}

/** The time of a lease passes: in truth, or by moving its end. */
async function letTermExpire(lease: LeasedPostgresDatabase): Promise<void> {
  if (testScale > 1) await lease.query("UPDATE river_leader SET expires_at = now() - interval '1 millisecond'");
  else
    await pollUntil(
      async () => (await lease.query("SELECT 1 FROM river_leader WHERE expires_at < now()")).length > 0,
      LONG,
    );
}

interface FrozenLeader {
  readonly lease: LeasedPostgresDatabase;
  /** Where both clients connect to. */
  readonly url: string;
  readonly ids: readonly [string, string];
  readonly pooled: boolean;
}

async function freezeLeader(t: TestContext, { lease, url, ids, pooled }: FrozenLeader): Promise<void> {
  const [firstId, secondId] = ids;
  const script = new URL("testdata/periodic-leader.ts", import.meta.url);
  const a = spawnNode(t, script, [url, firstId, "A", String(SLOT_MS), pooled ? "yes" : ""]);
  await told(a, "leader_acquired");
  await insertsMore(lease, "A", 1);
  const options = { ...leadingOptions("B", SLOT_MS), clientId: secondId, pollOnly: pooled };
  const database = postgresDatabase(lease, { connectionString: url }, { prepare: !pooled });
  const b = openScene(t, database, { client: options });
  const run = await b.start();
  await insertsMore(lease, "A", 1);
  assert.equal(run.diagnostics.maintenance?.isLeader, false);

  process.kill(a.pid, "SIGSTOP");
  await letTermExpire(lease);
  await b.events.when("leader_acquired");
  await insertsMore(lease, "B", 2);
  process.kill(a.pid, "SIGCONT");
  await told(a, "leader_lost");
  // By now A has had time for every slot that it slept through.
  await insertsMore(lease, "B", 2);
  assertEachSlotOnce(await slotsOf(lease), ["A", "B"]);
  assert.deepEqual([b.events.of("leader_acquired").length, b.events.of("leader_lost").length], [1, 0]);
  assert.deepEqual((await b.client.inspect.leader())?.electedAt, run.diagnostics.maintenance?.leader?.electedAt);

  // A has not lost the ability to lead: it does so once B has gone.
  await run.stop();
  await told(a, "leader_acquired");
  await insertsMore(lease, "A", 1);
  assertEachSlotOnce(await slotsOf(lease), ["A", "B", "A"]);
  a.send("stop");
  assert.deepEqual(await a.exit(), { code: 0, signal: null });
}

function told(child: SpawnedNode, kind: string): Promise<unknown> {
  return child.next<{ readonly kind?: string }>((message) => message.kind === kind, LONG);
}

for (const ids of [
  ["a", "b"],
  ["twin", "twin"],
] as const) {
  onPostgres(
    `C26 a leader that was frozen past its term, and one elected meanwhile, with the IDs ${ids.join(" and ")}: each slot once`,
    (t, lease) => freezeLeader(t, { lease, url: lease.url, ids, pooled: false }),
  );
}

pgBouncerTest("C26 the same through PgBouncer in transaction mode", async (t) => {
  stopFirst(t);
  const lease = await leasePostgresDatabase(t);
  const { url } = await startPgBouncer(t, lease.url, { poolSize: 6 });
  await freezeLeader(t, { lease, url, ids: ["a", "b"], pooled: true });
});

for (const ids of [
  ["a", "b"],
  ["twin", "twin"],
] as const) {
  onPostgres(
    `C26 the leadership row is deleted by hand, twice, beneath clients with the IDs ${ids.join(" and ")}: each slot once`,
    async (t, lease) => {
      const scenes = ids.map((clientId, index) =>
        openScene(t, postgresDatabase(lease), {
          client: { ...leadingOptions(`${clientId}${index}`, SLOT_MS), clientId },
        }),
      );
      const terms = (kind: "leader_acquired" | "leader_lost"): number =>
        scenes.reduce((sum, { events }) => sum + events.of(kind).length, 0);
      for (const { start } of scenes) await start();
      for (let term = 1; term <= 3; term++) {
        await pollUntil(() => terms("leader_acquired") === term && terms("leader_lost") === term - 1);
        const before = (await slotsOf(lease)).length;
        await pollUntil(async () => (await slotsOf(lease)).length >= before + 2);
        if (term < 3) await lease.query("DELETE FROM river_leader");
      }
      const times = (await slotsOf(lease)).map(({ atMs }) => atMs);
      assert.equal(new Set(times).size, times.length, `a slot twice: ${JSON.stringify(times)}`);
      assert.deepEqual(
        times,
        times.toSorted((x, y) => x - y),
      );
      // A leader finds the row gone and steps down; nobody else's term is ended, and nothing has failed.
      assert.deepEqual(scenes.flatMap(complaintsOf), []);
    },
  );
}

function complaintsOf({ complaints, events }: Scene): unknown[] {
  return [...complaints(), ...events.of("maintenance_failed")];
}

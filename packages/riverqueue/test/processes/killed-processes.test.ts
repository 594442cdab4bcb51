/** Processes that are killed while they work one SQLite file; `RIVER_FLEET_SEED` draws the kills of an earlier run again. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  failOnLeaks,
  fleetSeed,
  pollUntil,
  scaled,
  seededRandom,
  type SpawnedNode,
  spawnNode,
} from "@riverqueue/internal-test-kit";
import { clientOnSqlite } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const LONG = { deadlineMs: 150_000 };

async function fleet(t: TestContext, path: string, size: number): Promise<SpawnedNode[]> {
  const members = Array.from({ length: size }, () =>
    spawnNode(t, new URL("testdata/fleet-member.ts", import.meta.url), [path]),
  );
  for (const member of members) await member.next((message) => message === "ready", LONG);
  return members;
}

test("processes that are killed at random moments leave every job done, and its effect once", async (t) => {
  const { database, sql, insert, states } = await clientOnSqlite(t);
  sql.exec("CREATE TABLE trace (job_id INTEGER NOT NULL)");
  const random = seededRandom(fleetSeed(t), "kills");
  const jobs = 400;
  await insert(jobs);
  const spare = await fleet(t, database.path, 3 + Math.ceil(scaled(100)));
  const working = spare.splice(0, 3);
  for (const member of working) member.send("go");
  const done = sql.prepare("SELECT count(*) AS n FROM trace");
  let goal = 0;
  for (const fresh of spare) {
    // A moment that depends on progress, so that it is somewhere in the midst of work.
    goal += Math.ceil((jobs / (spare.length + 1)) * random());
    await pollUntil(() => Number(done.get()?.["n"]) >= goal, LONG);
    const victim = working.splice(Math.floor(random() * working.length), 1)[0];
    assert.equal((await victim?.kill())?.signal, "SIGKILL");
    fresh.send("go");
    working.push(fresh);
  }
  await pollUntil(() => states()["completed"] === jobs, LONG);
  for (const member of working) member.send("stop");
  for (const member of working) assert.equal((await member.exit(LONG)).code, 0);
  assert.deepEqual(states(), { completed: jobs });
  assert.deepEqual(
    { ...sql.prepare("SELECT count(*) AS n, count(DISTINCT job_id) AS different FROM trace").get() },
    { n: jobs, different: jobs },
  );
});

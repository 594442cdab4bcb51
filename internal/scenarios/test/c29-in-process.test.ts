/** A promise that a finished attempt in process has forgotten ends the process, as Node.js has it. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, spawnNode } from "@riverqueue/internal-test-kit";
import { type Database, onPostgres, postgresDatabase, sqliteDatabase, stopFirst } from "../src/database.ts";
import { openScene } from "../src/scene.ts";
import { maintenance } from "./testdata/rescue-kinds.ts";

failOnLeaks();

const JOBS = 6;
const RESCUE_AFTER = Temporal.Duration.from({ seconds: 2 });

async function crashAndRecover(t: TestContext, database: Database, address: string): Promise<void> {
  const { insert, start, events, row, calls } = openScene(t, database, {
    client: {
      jobTimeout: RESCUE_AFTER,
      maintenance: { ...maintenance, rescueAfter: RESCUE_AFTER },
      retryPolicy: (_, now) => now,
    },
  });
  const [finished = 0n, ...running] = await insert(JOBS);
  const program = new URL("testdata/crash-in-process.ts", import.meta.url);
  const child = spawnNode(t, program, [database.backend, address, String(JOBS)]);
  assert.deepEqual(await child.exit(), { code: 1, signal: null }, child.log);
  // The first thing that Node.js tells is what it ends for.
  assert.match(child.log, /Error: forgotten/);
  assert.doesNotMatch(child.log, /JobAttemptFinishedError|AbortError/);
  const before = await Promise.all(running.map((id) => row(id)));
  assert.ok(before.every(({ state, attempt }) => state === "running" && attempt === 1));

  await start();
  await events.when("job_completed", JOBS - 1);
  for (const { id, attemptedAt } of before) {
    const { state, attempt, errors } = await row(id);
    assert.deepEqual([state, attempt, errors.length], ["completed", 2, 1]);
    const [{ at, error } = { at: null, error: "" }] = errors;
    assert.equal(error, "Stuck job rescued by JobRescuer");
    assert.ok(at !== null && attemptedAt !== null && Temporal.Instant.compare(at, attemptedAt.add(RESCUE_AFTER)) >= 0);
  }
  const { state, attempt, errors } = await row(finished);
  assert.deepEqual([state, attempt, errors], ["completed", 1, []]);
  assert.deepEqual(
    calls.toSorted((a, b) => a - b),
    [2, 3, 4, 5, 6],
  );
}

const TITLE = "C29 (d) in process the finished job stays completed, and all others are rescued after the crash";

onPostgres(`${TITLE} (Postgres)`, (t, lease) => crashAndRecover(t, postgresDatabase(lease), lease.url));

test(`${TITLE} (SQLite)`, async (t) => {
  stopFirst(t);
  const database = await sqliteDatabase(t);
  const [main] = await database.query("PRAGMA database_list");
  await crashAndRecover(t, database, main?.["file"] as string);
});

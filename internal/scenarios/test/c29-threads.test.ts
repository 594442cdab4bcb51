/** Threads that exit, are poisoned, starve or fail late: what becomes of the jobs, their neighbours and the pool. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { failOnLeaks, pollUntil, temporaryFolder } from "@riverqueue/internal-test-kit";
import type { JobRow } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { quickQueue } from "../src/scene.ts";
import { openThreadScene, type ThreadScene, type ThreadSceneOptions } from "../src/thread-scene.ts";
import type { Way } from "./testdata/late-threads.ts";

failOnLeaks();

const module = new URL("./testdata/late-threads.js", import.meta.url);
const act: ThreadSceneOptions = { module, exportName: "act" };
/** Whatever fails stays failed for the time of a test. */
const retryPolicy = (_: unknown, now: Temporal.Instant): Temporal.Instant => now.add({ hours: 1 });
const NEIGHBOURS = 9;

/** One job of this way, and others that finish; the first one's ID comes first. */
function insertWithNeighbours({ insertEach }: ThreadScene, way: Way): Promise<bigint[]> {
  return insertEach([{ way }, ...Array.from({ length: NEIGHBOURS }, () => ({ way: "finish" }))]);
}

function rowsOf({ row }: ThreadScene, ids: readonly bigint[]): Promise<JobRow[]> {
  return Promise.all(ids.map((id) => row(id)));
}

/** Each job was called once and has succeeded, and that is all that is known of it. */
async function assertInnocent(scene: ThreadScene, ids: readonly bigint[]): Promise<void> {
  for (const { id, state, attempt, errors } of await rowsOf(scene, ids)) {
    assert.deepEqual([state, attempt, errors, scene.callsOf(id)], ["completed", 1, [], 1]);
  }
}

/** Two attempts run at the same time. */
async function assertWhole({ executor, insertEach, client, events }: ThreadScene): Promise<void> {
  const ids = await insertEach([{ way: "wait" }, { way: "wait" }]);
  await pollUntil(() => executor.diagnostics().activeThreads === 2);
  assert.equal(executor.diagnostics().totalThreads, 2);
  for (const id of ids) await client.jobs.cancel(id);
  await events.when("job_cancelled", 2);
}

for (const { letter, way, message, options } of [
  { letter: "a", way: "exit", message: /^worker thread exited with code 0 before the handler had settled$/ },
  { letter: "e", way: "spin", message: /exceeded its timeout of PT2S/, options: { jobTimeout: { seconds: 2 } } },
  { letter: "f", way: "memory", message: /memory limit/ },
] as const) {
  onBothDatabases(
    `C29 (${letter}) only the attempt that has to fails, once and with a reason: ${way}`,
    async (t, database) => {
      const scene = openThreadScene(t, database, {
        ...act,
        ...(way === "memory" && { threads: { resourceLimits: { maxOldGenerationSizeMb: 32 } } }),
        client: {
          queues: { default: quickQueue(50) },
          jobStuckThreshold: { milliseconds: 200 },
          retryPolicy,
          ...options,
        },
      });
      await scene.start();
      const [failing = 0n, ...others] = await insertWithNeighbours(scene, way);
      await scene.events.when("job_completed", NEIGHBOURS);
      const [failed] = await scene.events.when("job_failed");
      assert.equal(failed?.job.id, failing);
      const { state, attempt, errors } = await scene.row(failing);
      assert.deepEqual([state, attempt, errors.length, scene.callsOf(failing)], ["retryable", 1, 1, 1]);
      assert.match(errors[0]?.error ?? "", message);
      await assertInnocent(scene, others);
      await assertWhole(scene);
      // A thread that the client itself has ended has not crashed.
      await scene.crashes(way === "spin" ? 0 : 1);
      const kinds = scene.events.jobKinds();
      // The one that spins may be reported before its thread is gone.
      delete kinds["job_stuck"];
      assert.deepEqual(kinds, {
        job_started: NEIGHBOURS + 3,
        job_completed: NEIGHBOURS,
        job_failed: 1,
        job_cancelled: 2,
      });
    },
  );
}

onBothDatabases(
  "C29 (b) a thread exits soon after its attempt has ended: the next one runs once or fails once",
  async (t, database) => {
    const scene = openThreadScene(t, database, {
      ...act,
      client: { queues: { default: quickQueue(50) }, retryPolicy },
    });
    await scene.start();
    const [exiting = 0n, ...others] = await insertWithNeighbours(scene, "exit later");
    await pollUntil(() => scene.executor.diagnostics().crashedThreads > 0);
    await pollUntil(() => {
      const { job_completed = 0, job_failed = 0 } = scene.events.jobKinds();
      return job_completed + job_failed === NEIGHBOURS + 1;
    });
    await assertInnocent(scene, [exiting]);
    const rows = await rowsOf(scene, others);
    const failed = rows.filter(({ state }) => state !== "completed");
    assert.ok(failed.length <= 1);
    for (const { state, attempt, errors } of failed) {
      assert.deepEqual([state, attempt, errors.length], ["retryable", 1, 1]);
      assert.equal(errors[0]?.error, "worker thread exited with code 3 before the handler had settled");
    }
    const innocent = rows.filter(({ state }) => state === "completed");
    await assertInnocent(
      scene,
      innocent.map(({ id }) => id),
    );
    await assertWhole(scene);
    await scene.crashes(1);
  },
);

onBothDatabases(
  "C29 (c) a module that throws on its first import only is loaded for the next job",
  async (t, database) => {
    process.env["RIVER_FIRST_IMPORT"] = join(temporaryFolder(t), "imported");
    t.after(() => delete process.env["RIVER_FIRST_IMPORT"]);
    const scene = openThreadScene(t, database, {
      module: new URL("./testdata/fails-first-import.js", import.meta.url),
      exportName: "succeed",
      client: { queues: { default: quickQueue(50) }, retryPolicy },
    });
    await scene.start();
    const [first = 0n] = await scene.insertEach([{}]);
    await scene.events.when("job_failed");
    const [second = 0n, third = 0n] = await scene.insertEach([{}, {}]);
    await scene.events.when("job_completed", 2);
    const [failed, ...others] = await rowsOf(scene, [first, second, third]);
    assert.deepEqual(
      [failed?.state, failed?.attempt, failed?.errors.map(({ error }) => error)],
      ["retryable", 1, ["first import"]],
    );
    for (const { state, attempt, errors } of others) assert.deepEqual([state, attempt, errors], ["completed", 1, []]);
    await scene.crashes(0);
  },
);

onBothDatabases(
  "C29 (d) a promise that a finished attempt has forgotten rejects later: all jobs stay completed, the thread is replaced",
  async (t, database) => {
    const scene = openThreadScene(t, database, act);
    await scene.start();
    const ids = await insertWithNeighbours(scene, "forget");
    await scene.events.when("job_completed", NEIGHBOURS + 1);
    await scene.crashes(1);
    await assertInnocent(scene, ids);
    const stray = scene.logs.filter(({ message }) => /nobody caught an error/.test(message));
    assert.deepEqual(
      stray.map(({ attributes }) => (attributes["error"] as Error).message),
      ["forgotten"],
      "and nothing that the end of the attempt has led to",
    );
    await assertWhole(scene);
    await assertInnocent(scene, ids);
    await scene.crashes(1);
    assert.deepEqual(scene.events.of("job_failed"), []);
  },
);

onBothDatabases("C29 (g) what waits for a thread spends none of its timeout", async (t, database) => {
  const waiting = 48;
  const scene = openThreadScene(t, database, {
    module,
    exportName: "compute",
    // Less than two threads compute in all, and far more than one attempt takes, the loading of its module included.
    client: { queues: { default: quickQueue(50) }, jobTimeout: { seconds: 2 } },
  });
  await scene.start();
  const ids = await scene.insertEach(Array.from({ length: waiting }, () => ({})));
  await scene.events.when("job_completed", waiting);
  for (const { state, attempt, errors } of await rowsOf(scene, ids)) {
    assert.deepEqual([state, attempt, errors], ["completed", 1, []]);
  }
  assert.equal(scene.executor.diagnostics().totalThreads, 2);
  await scene.crashes(0);
});

onBothDatabases("C29 (h) what a handler posts on its parent port is not heard", async (t, database) => {
  const scene = openThreadScene(t, database, act);
  await scene.start();
  const ids = await insertWithNeighbours(scene, "rubbish");
  await scene.events.when("job_completed", NEIGHBOURS + 1);
  await assertInnocent(scene, ids);
  await assertWhole(scene);
  await scene.crashes(0);
});

/** A server that is away while hundreds of jobs are inserted and worked by two clients. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, scaled } from "@riverqueue/internal-test-kit";
import { type Client, isRetryableError } from "riverqueue";
import { postgresDatabase } from "../src/database.ts";
import { ownServerTest } from "../src/own-server.ts";
import { openScene, quickQueue, type Scene, task } from "../src/scene.ts";

failOnLeaks();

const JOBS = 600;
const LONG = { deadlineMs: 120_000 };
const RESCUE_AFTER = { seconds: 3 };

/** Inserts one job again and again until the database has answered; the key makes it one job however often. */
async function insertSurely(client: Client, n: number): Promise<void> {
  await pollUntil(async () => {
    try {
      return await client.insert(task, { n }, { unique: { byArgs: true } });
    } catch (error) {
      assert.ok(isRetryableError(error), String(error));
      return null;
    }
  }, LONG);
}

for (const outages of [1, 3]) {
  ownServerTest(
    `C23 a server that is away ${outages === 1 ? "once" : `${outages} times`} while ${JOBS} jobs come and go loses none`,
    async (t, server) => {
      const open = (): Scene =>
        openScene(t, postgresDatabase(server), {
          client: {
            queues: { default: quickQueue(20) },
            jobTimeout: { seconds: 2 },
            retryPolicy: (_, now) => now,
            maintenance: {
              electionInterval: { milliseconds: 250 },
              rescueAfter: RESCUE_AFTER,
              rescuerInterval: { milliseconds: 250 },
              schedulerInterval: { milliseconds: 250 },
            },
          },
        });
      const scenes = [open(), open()] as const;
      const runs = await Promise.all(scenes.map((scene) => scene.start()));
      const producer = openScene(t, postgresDatabase(server)).client;
      let inserted = 0;
      const inserting = Array.from({ length: 10 }, async () => {
        while (inserted < JOBS) await insertSurely(producer, inserted++);
      });
      for (let outage = 1; outage <= outages; outage++) {
        await pollUntil(() => inserted >= (JOBS * outage) / (outages + 1));
        await server.halt("immediate");
        const since = performance.now();
        await pollUntil(() => performance.now() - since > scaled(30_000) / outages, LONG);
        await server.resume();
      }
      await Promise.all(inserting);
      await pollUntil(async () => (await scenes[0].states())["completed"] === JOBS, LONG);
      assert.ok(runs.every(({ state }) => state === "running"));

      const calls = new Map<number, number>();
      for (const n of scenes.flatMap((scene) => scene.calls)) calls.set(n, (calls.get(n) ?? 0) + 1);
      const { jobs } = await producer.jobs.list({ limit: 2 * JOBS });
      assert.equal(jobs.length, JOBS);
      for (const { args, attempt, errors } of jobs) {
        const called = calls.get(Number(args["n"])) ?? 0;
        // Whatever was done again was rescued first, because a claim or a completion could not be kept.
        assert.equal(attempt, errors.length + 1);
        assert.ok(errors.every(({ error }) => error === "Stuck job rescued by JobRescuer"));
        assert.ok(called >= 1 && called <= attempt, `called ${called} times in ${attempt} attempts`);
      }
      await pollUntil(() => runs.some(({ diagnostics }) => diagnostics.maintenance?.isLeader));
      await Promise.all(runs.map((run) => run.stop()));
      await Promise.all(runs.map((run) => run.completed));
    },
  );
}

/** Pausing and resuming queues: what runs goes on, what waits stays, and who hears of it when. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import type { ClientOptions } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { openScene, quickQueue } from "../src/scene.ts";

failOnLeaks();

/** No poll hastens anything here. */
const UNPOLLED = { ...quickQueue(2), pollInterval: { hours: 1 } };
const QUIET: ClientOptions = { queues: { default: UNPOLLED }, queueControlPollInterval: { hours: 1 } };

onBothDatabases(
  "C17 a pause lets running jobs finish, lasts across a restart, and a resume starts the rest at once",
  async (t, database) => {
    const finish = Promise.withResolvers<void>();
    const handler = (): Promise<void> => finish.promise;
    const first = openScene(t, database, { client: QUIET, handler });
    const other = openScene(t, database.again(), { client: QUIET, handler });
    await first.insert(50);
    const run = await first.start();
    const otherRun = await other.start();
    await first.events.when("job_started", 2);
    await other.events.when("job_started", 2);
    const paused = await first.client.queues.pause("default");
    assert.ok(paused?.pausedAt);
    await first.events.when("queue_paused");
    await other.events.when("queue_paused");
    finish.resolve();
    await first.events.when("job_completed", 2);
    await other.events.when("job_completed", 2);
    await otherRun.stop();
    assert.deepEqual(await first.states(), { available: 46, completed: 4 });

    const again = openScene(t, database.again(), { client: QUIET });
    const againRun = await again.start();
    assert.equal(againRun.diagnostics.queues["default"]?.paused, true);
    assert.equal(run.diagnostics.queues["default"]?.paused, true);
    await again.client.queues.resume("default");
    for (const { events } of [again, first]) {
      await events.when("queue_resumed");
      await events.when("job_started", events === first.events ? 3 : 1);
    }
    assert.equal(first.events.of("queue_paused").length, 1);
    assert.equal(other.events.of("queue_paused").length, 1);
    assert.equal(again.events.of("queue_paused").length, 0);
    assert.equal(other.events.of("job_started").length, 2);
  },
);

onBothDatabases("C17 two clients, all queues paused and one of them resumed", async (t, database) => {
  const client: ClientOptions = { queues: { a: UNPOLLED, b: UNPOLLED }, queueControlPollInterval: { hours: 1 } };
  const scenes = [openScene(t, database, { client }), openScene(t, database.again(), { client })] as const;
  const [{ client: control, insert }] = scenes;
  const runs = [await scenes[0].start(), await scenes[1].start()];
  assert.equal(await control.queues.pause("*"), null);
  for (const { events } of scenes) await events.when("queue_paused", 2);
  // A second pause changes nothing.
  await control.queues.pause("a");
  await control.queues.resume("b");
  for (const { events } of scenes) await events.when("queue_resumed");
  await insert(3, { queue: "a" });
  await insert(3, { queue: "b" });
  const completed = (): number => scenes.reduce((sum, { events }) => sum + events.of("job_completed").length, 0);
  await pollUntil(() => completed() === 3);
  for (const { diagnostics } of runs) {
    const states = Object.entries(diagnostics.queues).map(([name, { paused }]) => [name, paused]);
    assert.deepEqual(states, [
      ["a", true],
      ["b", false],
    ]);
  }
  const touched = await database.query("SELECT id FROM river_job WHERE queue = 'a' AND attempt > 0");
  assert.deepEqual(touched, []);
  for (const { events } of scenes) {
    assert.deepEqual([events.of("queue_paused").length, events.of("queue_resumed").length], [2, 1]);
  }
});

onBothDatabases(
  "C17 with pollOnly pause, resume and metadata are found by the control poll, each once",
  async (t, database) => {
    const { start, insert, client, events } = openScene(t, database, {
      client: { pollOnly: true, leaderElectionDisabled: true, queueControlPollInterval: { milliseconds: 50 } },
    });
    await start();
    await client.queues.pause("default");
    await events.when("queue_paused");
    await insert();
    await client.queues.update("default", { metadata: { a: 1, b: [1, 2] } });
    const [updated] = await events.when("queue_updated");
    assert.equal(JSON.stringify(updated?.queue.metadata), '{"a":1,"b":[1,2]}');
    assert.equal(events.of("job_started").length, 0);
    await client.queues.resume("default");
    await events.when("job_completed");
    const { queue_paused: paused, queue_resumed: resumed, queue_updated: updates } = events.kinds();
    assert.deepEqual([paused, resumed, updates], [1, 1, 1]);
  },
);

onBothDatabases("queue_updated tells changes of meaning only: key order and spaces are none", async (t, database) => {
  const { start, client, events } = openScene(t, database, {
    client: { queueControlPollInterval: { milliseconds: 5 } },
  });
  await client.queues.pause("default");
  await start();
  await client.queues.update("default", { metadata: { a: 1, b: 2 } });
  await events.when("queue_updated");
  const json = database.backend === "postgres" ? "$1::jsonb" : "jsonb($1)";
  await database.query(`UPDATE river_queue SET metadata = ${json}`, '{ "b": 2, "a": 1 }');
  await client.queues.pause("default");
  await client.queues.update("default", { metadata: { a: 2, b: 2 } });
  await events.when("queue_updated", 2);
  assert.equal(events.of("queue_updated").length, 2);
});

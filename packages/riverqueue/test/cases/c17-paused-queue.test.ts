/** Pauses and resumptions that only polling finds. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

/** No poll hastens anything here. */
const UNPOLLED = { ...quickQueue(2), pollInterval: { hours: 1 } };

test("C17 C14 with pollOnly pause, resume and metadata are found by the control poll every two seconds", async (t) => {
  const clock = new ManualClock();
  const { start, client, sql, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { pollOnly: true, leaderElectionDisabled: true, queues: { default: UNPOLLED } },
  });
  await client.queues.update("default", { metadata: { from: "before" } });
  await start();
  await client.queues.pause("default");
  await client.queues.update("default", { metadata: { from: "after" } });
  await clock.advance(1_999);
  assert.equal(events.of("queue_paused").length, 0);
  await clock.advance(1);
  await events.when("queue_paused");
  await client.queues.resume("default");
  await client.queues.update("default", { metadata: { a: 1, b: [1, 2] } });
  await clock.advance(2_000);
  await events.when("queue_resumed");
  await events.when("queue_updated", 2);
  // The same in other words.
  sql.exec(`UPDATE river_queue SET metadata = jsonb('{"b":[1,2],"a":1}')`);
  await clock.advance(2_000);
  await client.queues.update("default", { metadata: { a: 2 } });
  await clock.advance(2_000);
  const changes = await events.when("queue_updated", 3);
  assert.deepEqual(
    changes.map(({ queue }) => JSON.stringify(queue.metadata)),
    ['{"from":"after"}', '{"a":1,"b":[1,2]}', '{"a":2}'],
  );
});

test("C17 a resumed queue claims at once what was inserted while it was paused, without waiting for a poll", async (t) => {
  const { start, client, insert, events } = await clientOnSqlite(t, {
    client: { leaderElectionDisabled: true, queues: { default: UNPOLLED } },
  });
  await start();
  await client.queues.pause("default");
  await events.when("queue_paused");
  await insert(3);
  await client.queues.resume("default");
  await events.when("job_completed", 3);
  assert.deepEqual(
    events.all.slice(0, 3).map(({ kind }) => kind),
    ["queue_paused", "queue_resumed", "job_started"],
  );
});

test("JS-67 a failing control poll backs off by a count of its own and recovers", async (t) => {
  const clock = new ManualClock();
  const polls: number[] = [];
  let broken = true;
  const { start, client, events } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    client: { pollOnly: true, leaderElectionDisabled: true, queues: { default: UNPOLLED } },
    intercept: (verb, _, proceed) => {
      if (verb !== "queues.getMany") return proceed();
      polls.push(clock.monotonic());
      if (broken) throw databaseError("transient", verb);
      return proceed();
    },
  });
  await start();
  await clock.advance(9_750);
  assert.deepEqual(polls, [2_000, 2_250, 2_750, 3_750, 5_750, 9_750]);
  broken = false;
  await client.queues.pause("default");
  await clock.advance(8_000);
  await events.when("queue_paused");
  await clock.advance(4_000);
  assert.deepEqual(polls.slice(6), [17_750, 19_750, 21_750]);
});

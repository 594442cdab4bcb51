/** Attempts that end while the database falls behind: how many are accepted, who waits, and for how long. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { COMPLETION_CAPACITY } from "../../src/runtime/completion-pipeline.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

const ALONE = { leaderElectionDisabled: true, pollOnly: true, queueControlPollInterval: { hours: 1 } } as const;

test("JS-82 attempts wait for capacity with their slots, and go on when half of it is free again", async (t) => {
  const gates = Array.from({ length: 20 }, () => deferred<void>());
  let settles = 0;
  const { start, insert, states, events } = await clientOnSqlite(t, {
    eventKinds: ["queue_paused"],
    client: { queues: { a: quickQueue(6_000), b: quickQueue(6_000) }, leaderElectionDisabled: true },
    intercept: async (verb, _, proceed) => {
      if (verb !== "jobs.settle") return proceed();
      await gates[settles++]?.promise;
      return proceed();
    },
  });
  await insert(6_000, { queue: "a" });
  await insert(7_000, { queue: "b" });
  const run = await start();

  await pollUntil(() => run.diagnostics.pendingCompletions === 10_000);
  await pollUntil(() => run.diagnostics.activeAttempts === 3_000);
  await pollUntil(() => run.diagnostics.completionQueries === 2);
  assert.equal(run.diagnostics.completionCapacity, 0);

  // The waiting attempts go on all at once, when less than half of the capacity is taken.
  const waits: number[] = [];
  for (const gate of gates) {
    if (run.diagnostics.activeAttempts < 3_000) break;
    waits.push(run.diagnostics.pendingCompletions);
    const before = run.diagnostics.pendingCompletions;
    gate.resolve();
    await pollUntil(() => run.diagnostics.pendingCompletions !== before);
  }
  assert.ok((waits.at(-1) ?? Infinity) - 1_000 < 5_000, waits.join());
  assert.ok(
    waits.slice(0, -1).every((pending) => pending >= 5_000),
    waits.join(),
  );
  for (const gate of gates) gate.resolve();
  await pollUntil(() => states()["completed"] === 13_000);
  await run.stop();
  assert.equal(run.diagnostics.activeAttempts, 0);
  assert.deepEqual(events.all, []);
});

test("JS-82 a stop ends although attempts wait for capacity and the database stays away", async (t) => {
  const clock = new ManualClock();
  const { start, insert, states } = await clientOnSqlite(t, {
    environment: manualEnvironment(clock),
    eventKinds: ["queue_paused"],
    client: { ...ALONE, queues: { a: quickQueue(6_000), b: quickQueue(6_000) } },
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.settle") throw databaseError("transient");
      return proceed();
    },
  });
  await insert(6_000, { queue: "a" });
  await insert(6_000, { queue: "b" });
  const run = await start();
  await pollUntil(() => run.diagnostics.pendingCompletions === COMPLETION_CAPACITY);
  await advanceUntil(clock, run.stop());
  assert.equal(run.diagnostics.activeAttempts, 0);
  assert.deepEqual(states(), { running: 12_000 });
});

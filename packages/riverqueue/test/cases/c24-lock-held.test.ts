/** Completions while another process holds the write lock: what is tried, what waits, and that the event loop turns. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, scaled, spawnNode, withDeadline } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import type { RiverMetric } from "../../src/model/river-metric.ts";
import { clientOnSqlite, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const JOBS = 100;
/** Far more than a loop can turn that is blocked while a statement waits, and far fewer than an idle one does. */
const TURNS = 200;

/** Counts turns of the event loop until the test ends. */
function countTurns(t: TestContext): {
  readonly turns: () => number;
  readonly after: (count: number) => Promise<void>;
} {
  let turns = 0;
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  let next = setImmediate(turn);
  function turn(): void {
    turns++;
    for (const { resolve } of waiting.filter(({ at }) => at === turns)) resolve();
    next = setImmediate(turn);
  }
  t.after(() => clearImmediate(next));
  return {
    turns: () => turns,
    after: (count) => new Promise((resolve) => waiting.push({ at: turns + count, resolve })),
  };
}

/** A try to store completions. */
interface Try {
  readonly begun: number;
  readonly ended: number;
  readonly failed: boolean;
}

for (const outlasts of ["no try", "a whole try"]) {
  test(`C24 JS-65 ${JOBS} jobs end under a lock that outlasts ${outlasts}: each completes once, and the event loop turns`, async (t) => {
    const { turns, after } = countTurns(t);
    const finish = deferred<void>();
    const begun = [deferred<void>(), deferred<void>()];
    const tries: Try[] = [];
    const metrics: RiverMetric["name"][] = [];
    let calls = 0;
    let settles = 0;
    const { start, insert, row, client, states, events, logs, database } = await clientOnSqlite(t, {
      client: {
        queues: { default: quickQueue(JOBS) },
        hooks: { onMetric: ({ name }) => void metrics.push(name) },
      },
      busyTimeoutMs: outlasts === "no try" ? 60_000 : scaled(5_000),
      handler: async () => {
        calls++;
        await finish.promise;
      },
      intercept: async (verb, _params, proceed) => {
        if (verb !== "jobs.settle") return proceed();
        const since = turns();
        begun[settles++]?.resolve();
        let failed = true;
        try {
          const settled = await proceed();
          failed = false;
          return settled;
        } finally {
          tries.push({ begun: since, ended: turns(), failed });
        }
      },
    });
    const ids = await insert(JOBS);
    const run = await start();
    await events.when("job_started", JOBS);
    const holder = spawnNode(t, new URL("../processes/testdata/lock-holder.ts", import.meta.url), [database.path]);
    await holder.next((message) => message === "locked");
    const locked = turns();
    finish.resolve();
    // Held for as long as the first try takes, and the pause after it; or until a try has waited for a good while.
    await withDeadline((outlasts === "no try" ? begun[0] : begun[1])?.promise ?? Promise.reject(), "the try");
    await withDeadline(after(TURNS), "turns of the loop");
    assert.deepEqual(states(), { running: JOBS });
    // Reading goes on meanwhile.
    assert.equal((await client.jobs.get(ids[0] ?? 0n))?.state, "running");
    assert.equal(events.of("job_completed").length, 0);
    const unlocked = turns();
    holder.endInput();
    assert.deepEqual(await holder.exit(), { code: 0, signal: null });
    await events.when("job_completed", JOBS);
    await run.stop();

    assert.ok(unlocked - locked >= TURNS);
    const [first, ...later] = tries;
    assert.equal(first?.failed, outlasts !== "no try");
    // The first waited for nothing but the lock.
    assert.ok(first && first.ended - first.begun >= TURNS, JSON.stringify(first));
    assert.ok(outlasts === "no try" ? later.length === 0 : later.at(-1)?.failed === false);
    assert.equal(calls, JOBS);
    assert.deepEqual(states(), { completed: JOBS });
    for (const id of ids) {
      const { attempt, errors, attemptedBy } = await row(id);
      assert.deepEqual([attempt, errors.length, attemptedBy.length], [1, 0, 1]);
    }
    assert.deepEqual([events.of("job_started").length, events.of("job_completed").length], [JOBS, JOBS]);
    assert.ok(!metrics.includes("job_completion_dropped") && !metrics.includes("job_completion_degraded"));
    assert.deepEqual(
      logs.filter(({ level }) => level === "error"),
      [],
    );
  });
}

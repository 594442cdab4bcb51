/** Waits after failures of everything that a client does in the background, side by side. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import type { NoticeListener } from "../../src/driver/notices-facet.ts";
import { clientOnSqlite, manualEnvironment } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

for (const [chance, varied] of [
  [0, 0.9],
  [0.75, 1.05],
] as const) {
  test(`JS-67 claims, control polls and the notice stream each count their own failures, and vary each wait: × ${varied}`, async (t) => {
    const clock = new ManualClock();
    const failures: Record<string, number[]> = { "jobs.claim": [], "notices.listen": [], "queues.getMany": [] };
    const failing = new Set<string>();
    const fail = (verb: string): Error => {
      failures[verb]?.push(clock.monotonic());
      return databaseError("transient", verb);
    };
    let listener: NoticeListener | null = null;
    const { start } = await clientOnSqlite(t, {
      environment: { ...manualEnvironment(clock), random: () => chance },
      client: { leaderElectionDisabled: true, queues: { default: { maxWorkers: 1, pollInterval: { seconds: 1 } } } },
      intercept: (verb, params: NoticeListener, proceed) => {
        if (failing.has(verb)) throw fail(verb);
        if (verb === "notices.listen") listener = params;
        return proceed();
      },
    });
    const run = await start();

    // One after another, so that a count which they shared would show.
    failing.add("queues.getMany");
    await clock.advance(5_000);
    failing.add("notices.listen");
    (listener as NoticeListener | null)?.onLost(fail("notices.listen"));
    await clock.advance(1_000);
    failing.add("jobs.claim");
    await clock.advance(20_000);
    const usual = [250, 500, 1_000, 2_000, 4_000].map((ms) => Math.round(ms * varied));
    for (const [verb, times] of Object.entries(failures)) {
      const waits = times.slice(1, 6).map((at, index) => Math.round(at - (times[index] ?? 0)));
      assert.deepEqual(waits, usual, verb);
    }
    assert.equal(run.state, "running");
  });
}

/** What a running client makes of failures: the few that end it, and the many that it sits out. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import type { NoticeListener } from "../../src/driver/notices-facet.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { clientOnSqlite, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

const FATAL = new ConfigurationError("the schema is another one now");

const BACKGROUND = [
  "jobs.cancelRequested",
  "jobs.claim",
  "jobs.promote",
  "jobs.settle",
  "leader.elect",
  "leader.renew",
  "notices.listen",
  "queues.getMany",
  "queues.keepAlive",
];

for (const verb of BACKGROUND) {
  test(`JS-11 JS-66 JS-74 JS-02 a permanent failure of ${verb} ends the runtime, and completed rejects after clean-up`, async (t) => {
    const steps: string[] = [];
    const finish = deferred<void>();
    const begun = deferred<void>();
    let broken = false;
    let listener: NoticeListener | null = null;
    const { start, insert, driver, logs, events } = await clientOnSqlite(t, {
      environment: { probe: (step) => void steps.push(step), random: () => 0 },
      client: {
        queues: { default: quickQueue(), slow: quickQueue() },
        queueControlPollInterval: { milliseconds: 5 },
        queueHeartbeatInterval: { seconds: 1 },
        maintenance: { electionInterval: { milliseconds: 100 }, schedulerInterval: { milliseconds: 5 } },
        leaderElectionDisabled: !/^leader|promote$/.test(verb),
      },
      handler: async ({ job }) => {
        if (job.queue !== "slow") return;
        begun.resolve();
        await finish.promise;
      },
      intercept: (called, params: NoticeListener, proceed) => {
        if (broken && called === verb) throw FATAL;
        if (called === "notices.listen") listener = params;
        return proceed();
      },
    });
    await insert(1, { queue: "slow" });
    broken = verb === "leader.elect";
    const run = await start();
    const failed = assert.rejects(run.completed, FATAL).then(() => steps.push("rejected"));
    await begun.promise;
    if (verb === "leader.renew" || verb === "jobs.promote") await events.when("leader_acquired");
    broken = true;
    if (verb === "notices.listen") (listener as NoticeListener | null)?.onLost(databaseError("transient", verb));
    await insert(1);
    await pollUntil(() => run.state !== "running");
    assert.equal(run.state, "stopping");
    finish.resolve();
    await withDeadline(failed, "the failure");
    assert.equal(run.state, "failed");
    assert.equal(steps.at(-1), "rejected");
    assert.equal(steps.at(-2), "stop: completed");
    assert.ok(logs.some(({ level, attributes }) => level === "error" && attributes["error"] === FATAL));
    // It has failed, and stop does not say so again.
    await run.stop();
    driver.close();
  });
}

test("JS-65 JS-66 JS-73 transient failures of background work are warnings, others errors, and nothing stops", async (t) => {
  const failures = [databaseError("transient", "jobs.claim"), databaseError("other", "jobs.claim")];
  const { start, insert, events, logs } = await clientOnSqlite(t, {
    environment: { random: () => 0 },
    client: { pollOnly: true },
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.claim" && failures.length > 0) throw failures.shift() as Error;
      return proceed();
    },
  });
  await insert();
  const run = await start();
  await events.when("job_completed");
  assert.equal(run.state, "running");
  const claims = logs.filter(({ message }) => message.startsWith("claiming jobs failed"));
  assert.deepEqual(
    claims.map(({ level, attributes }) => [level, attributes["queue"]]),
    [
      ["warn", "default"],
      ["error", "default"],
    ],
  );
});

test("JS-65 a control poll that fails is tried again", async (t) => {
  let failing = true;
  const { start, client, events, logs } = await clientOnSqlite(t, {
    client: { pollOnly: true, queueControlPollInterval: { milliseconds: 10 } },
    intercept: (verb, _, proceed) => {
      if (verb === "queues.getMany" && failing) throw databaseError("transient", verb);
      return proceed();
    },
  });
  await start();
  await client.queues.pause("default");
  await pollUntil(() => logs.some(({ message }) => message.startsWith("reading queue controls failed")));
  failing = false;
  await events.when("queue_paused");
});

test("a failing logger, event hook, metric hook or stuck handler breaks nothing", async (t) => {
  const { start, insert, events } = await clientOnSqlite(t, {
    client: {
      logger: { debug: fail, info: fail, warn: fail, error: fail },
      hooks: { onEvent: fail, onMetric: fail },
      stuckHandler: fail,
    },
    handler: ({ job }) => {
      if (job.args["n"] === 0) throw new Error("once");
    },
  });
  const run = await start();
  await insert(2, { maxAttempts: 1 });
  await events.when("job_completed");
  await events.when("job_failed");
  await run.stop();
});

function fail(): never {
  throw new Error("observers fail");
}

/** What each step of a shutdown waits for: a step that is held up holds up all later ones. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import type { ClientOptions } from "../../src/client/client-options.ts";
import type { NoticeStream } from "../../src/driver/notices-facet.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { advanceUntil, clientOnSqlite, manualEnvironment, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const SOON = { milliseconds: 5 };

interface Held {
  readonly title: string;
  /** The step that waits. */
  readonly step: string;
  readonly verb: string;
  readonly client?: ClientOptions;
}

const HELD: readonly Held[] = [
  { title: "the resignation of the leader", step: "background tasks", verb: "leader.resign" },
  {
    title: "a poll of the controls",
    step: "background tasks",
    verb: "queues.getMany",
    client: { queueControlPollInterval: SOON },
  },
  {
    title: "a pass of maintenance",
    step: "background tasks",
    verb: "jobs.promote",
    client: { maintenance: { schedulerInterval: SOON } },
  },
  { title: "the end of the notice stream", step: "run-lifetime services", verb: "close" },
  { title: "a completion", step: "completions", verb: "jobs.settle" },
];

for (const { title, step, verb, client = {} } of HELD) {
  test(`JS-12 a stop waits for ${title} before its next step`, async (t) => {
    const gate = deferred<void>();
    const begun = deferred<void>();
    const hold = async <T>(proceed: () => Promise<T>): Promise<T> => {
      begun.resolve();
      await gate.promise;
      return proceed();
    };
    const { steps, run, events, insert } = await runningClient(t, client, async (called, proceed) => {
      if (called === verb) return hold(proceed);
      if (called !== "notices.listen" || verb !== "close") return proceed();
      const stream = (await proceed()) as NoticeStream;
      return { ...stream, close: () => hold(() => stream.close()) };
    });
    await events.when("leader_acquired");
    await insert(1);
    await events.when("job_started");
    if (verb === "queues.getMany" || verb === "jobs.promote") await begun.promise;
    let stopped = false;
    const stopping = run.stop().then(() => (stopped = true));
    await begun.promise;
    await pollUntil(() => steps.at(-1) === `stop: ${step}`);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal(steps.at(-1), `stop: ${step}`);
    assert.equal(stopped, false);
    gate.resolve();
    await stopping;
    assert.equal(steps.at(-1), "stop: completed");
  });
}

test("JS-12 JS-34 a stop waits for event hooks before it ends the watch on the event loop, which leaves no timer", async (t) => {
  const clock = new ManualClock();
  const gate = deferred<void>();
  const steps: string[] = [];
  const { start, insert, events } = await clientOnSqlite(t, {
    environment: { ...manualEnvironment(clock), probe: (step) => void steps.push(step) },
    client: {
      eventLoopDelay: {},
      leaderElectionDisabled: true,
      hooks: { onEvent: ({ kind }) => (kind === "job_completed" ? gate.promise : undefined) },
    },
  });
  await insert(1);
  const run = await start();
  await events.when("job_completed");
  const stopping = run.stop();
  await advanceUntil(
    clock,
    pollUntil(() => steps.at(-1) === "stop: events"),
    10,
  );
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  assert.equal(steps.at(-1), "stop: events");
  assert.ok(clock.pending > 0, "the event loop is still watched");
  gate.resolve();
  await advanceUntil(clock, stopping, 10);
  assert.equal(clock.pending, 0);
});

type Intercepted = (verb: string, proceed: () => Promise<unknown>) => Promise<unknown>;

async function runningClient(t: TestContext, client: ClientOptions, intercept: Intercepted) {
  const steps: string[] = [];
  const { start, events, insert } = await clientOnSqlite(t, {
    environment: { probe: (step) => void steps.push(step) },
    client: { queues: { default: quickQueue() }, ...client },
    intercept: (verb, _, proceed) => intercept(verb, proceed),
  });
  return { steps, events, insert, run: await start() };
}

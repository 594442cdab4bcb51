// What the embedded home is given by callers without types: named by its path, before anything is done.
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { type QueueConfig, Workers } from "riverqueue";
import { checkHomeOptions } from "../../src/embedded/check-arguments.ts";
import { openSqliteHome } from "../testdata/open-home.ts";

failOnLeaks();

const NO_OBJECTS = [undefined, null, 5, "x", []] as const;

test("wrong options of the embedded home are named, all at once", async (t) => {
  const { driver } = await openSqliteHome(t);
  for (const options of NO_OBJECTS) {
    assert.throws(() => createEmbeddedHome(options as never), {
      code: "configuration",
      message: /^options must be an object; options\.driver must be a driver that can work jobs/,
    });
  }
  for (const [options, message] of [
    [{ queueNames: null }, "options.queueNames must be an object"],
    [{ queueNames: 5 }, "options.queueNames must be an object"],
    [{ queueNames: [] }, "options.queueNames must be an object"],
    [{ queueNames: { "async-logger": 5 } }, "options.queueNames.async-logger must be a name"],
    [{ queueNames: { mail: "" } }, "options.queueNames.mail must be a name"],
    [
      { logger: {}, now: 5 },
      "options.logger must have functions debug, info, warn, error; options.now must be a function",
    ],
    [{ statementTimeout: { milliseconds: 0 } }, "options.statementTimeout must be at least 1 ms"],
    [{ statementTimeoutMs: 5 }, /^options\.statementTimeoutMs is not an option; use statementTimeout with a duration/],
    [{ queueName: {} }, "options.queueName is not an option; did you mean queueNames?"],
  ] as const) {
    assert.throws(() => createEmbeddedHome({ driver, ...options } as never), { code: "configuration", message });
  }
});

test("a statement has ten seconds unless told otherwise, well below a lease and its renewal", async (t) => {
  const { driver } = await openSqliteHome(t);
  assert.deepEqual(checkHomeOptions({ driver }), { statementMs: 10_000 });
  assert.deepEqual(checkHomeOptions({ driver, statementTimeout: { seconds: 2 } }), { statementMs: 2000 });
});

test("a registration that is not whole is named, and nothing of it is registered", async (t) => {
  const { home } = await openSqliteHome(t);
  const reaction = createReaction({ policies: [], ...home.parts });
  for (const registration of NO_OBJECTS) {
    assert.throws(() => home.register(registration as never), {
      code: "configuration",
      message:
        "registration must be an object; workers must be the Workers of a client; periodicJobs must be a list; " +
        "reaction must be made by createReaction(); queues must be an object",
    });
  }
  const queues: Record<string, QueueConfig> = {};
  const whole = { workers: new Workers(), queues, periodicJobs: [], reaction };
  for (const [change, message] of [
    [{ workers: {} }, "workers must be the Workers of a client"],
    [{ queues: [] }, "queues must be an object"],
    [{ periodicJobs: undefined }, "periodicJobs must be a list"],
    [{ reaction: null }, "reaction must be made by createReaction()"],
    [{ reaction: { queues: [null], consume() {} } }, "reaction must be made by createReaction()"],
    [{ idleSweep: 5 }, /^idleSweep must be a duration/],
    [{ idelSweep: {} }, "registration.idelSweep is not an option; did you mean idleSweep?"],
  ] as const) {
    assert.throws(() => home.register({ ...whole, ...change } as never), { code: "configuration", message });
  }
  assert.deepEqual(queues, {});
  home.register(whole);
  assert.equal(Object.keys(queues).length, 4);
});

test("a sender is made for a queue, and a context for an attempt", async (t) => {
  const { home } = await openSqliteHome(t);
  for (const queue of [...NO_OBJECTS, { name: 5 }, { name: "" }]) {
    assert.throws(() => home.sender(queue as never), {
      code: "configuration",
      message: "queue.name must be a name; queue.maxRetries must be an integer of 0 to 100",
    });
  }
  for (const maxRetries of [undefined, null, -1, 101, 0.5, "3"]) {
    assert.throws(() => home.sender({ name: "mail", maxRetries } as never), {
      code: "configuration",
      message: "queue.maxRetries must be an integer of 0 to 100",
    });
  }
  for (const attempt of [null, 5, "x", [], {}, { job: null }, { job: {} }]) {
    assert.throws(() => home.workerCtx(attempt as never), {
      code: "validation",
      message: "attempt must be what a handler is given, with job.id",
    });
  }
  assert.equal(home.workerCtx({ job: { id: 7n } }).requestId, "7");
  assert.equal(home.workerCtx().entry, "scheduled");
});

/** What the options of a client are checked for and completed to. */
import assert from "node:assert/strict";
import test from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { generateClientId } from "../../src/client/client-id.ts";
import { Client } from "../../src/client/river-client.ts";
import { resolveClientOptions } from "../../src/client/resolve-client-options.ts";
import { attachEnvironment, environmentOf } from "../../src/kit/environment.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { Workers } from "../../src/work/workers.ts";
import { Page } from "../docs/testdata/read-page.ts";
import { task } from "../testdata/client-on-sqlite.ts";

const environment = environmentOf(attachEnvironment({}, { clock: new ManualClock() }));
const workers = new Workers().add(task, () => {});
const resolve = (options: unknown): ReturnType<typeof resolveClientOptions> =>
  resolveClientOptions(options, environment);

function refused(options: unknown, ...messages: RegExp[]): void {
  assert.throws(
    () => resolve(options),
    (error: unknown) => {
      assert.ok(error instanceof ConfigurationError);
      for (const message of messages) assert.match(error.message, message);
      return true;
    },
  );
}

test("JS-18 JS-102 the defaults are those of every River client", () => {
  const settings = resolve({ queues: { default: { maxWorkers: 1 } }, workers });
  const { clientId, queues, ...runtime } = settings.runtime;
  assert.deepEqual(runtime, {
    fetchOnlyKnownKinds: false,
    leaderElectionDisabled: false,
    pollOnly: false,
    fetchCooldownMs: 100,
    completion: { batchSize: 1_000, flushIntervalMs: 50 },
    queueControlPollIntervalMs: 2_000,
    queueHeartbeatIntervalMs: 600_000,
  });
  assert.deepEqual([...queues], [["default", { maxWorkers: 1, fetchCooldownMs: 100, pollIntervalMs: 1_000 }]]);
  assert.ok(clientId.length > 0);
  assert.equal(settings.jobTimeoutMs, 60_000);
  assert.equal(settings.jobStuckThresholdMs, 10_000);
  assert.equal(settings.nearFutureMs, 5_000);
  assert.equal(settings.errorStacks, "faults");
  assert.equal(settings.maintenance.rescueAfterMs, 3_600_000);
  assert.equal(settings.eventLoopDelay?.reportIntervalMs, 1_000);
  assert.deepEqual([settings.errorHandler, settings.retryPolicy, settings.stuckHandler], [null, null, null]);
  assert.ok(Object.isFrozen(settings));
});

const BAD: readonly [string, unknown, RegExp][] = [
  ["clientId", "", /^clientId must be text of 1 to 100/],
  ["clientId", 5, /^clientId/],
  ["clientId", "x".repeat(101), /^clientId/],
  ["clientId", "a\0b", /^clientId/],
  ["clientId", "a\ud800", /^clientId/],
  ["completionBatchSize", 0, /^completionBatchSize must be an integer from 1 to 10000$/],
  ["completionBatchSize", 10_001, /^completionBatchSize/],
  ["completionBatchSize", 1.5, /^completionBatchSize/],
  ["completionBatchSize", "5", /^completionBatchSize/],
  ["completionBatchSize", null, /^completionBatchSize/],
  ["completionFlushInterval", 50, /^completionFlushInterval must be a duration/],
  ["completionFlushInterval", { seconds: -1 }, /^completionFlushInterval must not be negative$/],
  ["defaultInsertOptions", { priority: 9 }, /^defaultInsertOptions\.priority/],
  ["defaultInsertOptions", { prio: 1 }, /^defaultInsertOptions\.prio is not an option/],
  ["errorHandler", {}, /^errorHandler must be a function$/],
  ["errorHandler", null, /^errorHandler must be a function$/],
  ["errorStacks", "some", /^errorStacks must be "faults" or "always"$/],
  ["errorStacks", null, /^errorStacks/],
  ["eventLoopDelay", true, /^eventLoopDelay/],
  ["eventLoopDelay", { reportIntervalMs: 5 }, /^eventLoopDelay\.reportIntervalMs is not an option; use reportInterval/],
  ["fetchCooldown", { milliseconds: 0 }, /^fetchCooldown must be at least 1 ms/],
  ["fetchCooldown", { microseconds: 999 }, /^fetchCooldown must be at least 1 ms/],
  ["fetchOnlyKnownKinds", 1, /^fetchOnlyKnownKinds must be true or false$/],
  ["fetchOnlyKnownKinds", null, /^fetchOnlyKnownKinds/],
  ["fleet", { auditRetention: { days: 36_501 } }, /^fleet\.auditRetention must be at most/],
  ["fleet", { clientRetention: { milliseconds: 59_999 } }, /^fleet\.clientRetention must be at least 60000 ms$/],
  ["fleet", { minuteRetention: { seconds: -1 } }, /^fleet\.minuteRetention must not be negative$/],
  ["hooks", [], /^hooks/],
  ["hooks", { beforeWrok() {} }, /^hooks\.beforeWrok is not an option; did you mean beforeWork\?/],
  ["insertMiddleware", {}, /^insertMiddleware/],
  ["jobStuckThreshold", { seconds: -1 }, /^jobStuckThreshold must not be negative$/],
  ["jobTimeout", { seconds: -1 }, /^jobTimeout/],
  ["jobTimeout", 60, /^jobTimeout must be a duration/],
  ["leaderElectionDisabled", "yes", /^leaderElectionDisabled must be true or false$/],
  ["logger", { info() {} }, /^logger must have the functions/],
  ["logger", true, /^logger/],
  ["logger", null, /^logger/],
  [
    "maintenance",
    { rescuAfter: { hours: 1 } },
    /^maintenance\.rescuAfter is not an option; did you mean rescueAfter\?/,
  ],
  ["maintenance", null, /^maintenance/],
  ["middleware", "x", /^middleware/],
  ["periodicJobs", {}, /^periodicJobs must be an array$/],
  ["plugins", [{}], /^plugins/],
  ["pollOnly", 0, /^pollOnly must be true or false$/],
  ["queueControlPollInterval", { milliseconds: 0 }, /^queueControlPollInterval must be at least 1 ms$/],
  ["queueHeartbeatInterval", { milliseconds: 1 }, /^queueHeartbeatInterval must be at least 1000 ms$/],
  ["queues", [], /^queues must be an object/],
  ["queues", { Default: { maxWorkers: 1 } }, /^queues\.Default/],
  ["queues", { default: 5 }, /^queues\.default must be an object/],
  ["retryPolicy", 5, /^retryPolicy must be a function$/],
  ["stuckHandler", 5, /^stuckHandler must be a function$/],
  ["workers", [], /^workers must be made by new Workers\(\)$/],
  ["workers", null, /^workers/],
];

test("JS-100 every option refuses what it cannot be, by its path", () => {
  for (const [name, value, message] of BAD) refused({ workers, [name]: value }, message);
  const documented = new Page("reference/options.md").names("Client").toSorted();
  assert.deepEqual([...new Set(BAD.map(([name]) => name))].toSorted(), documented, "no option is left out");
});

test("JS-100 wrong values of all options are one error with a problem for each", () => {
  const first = new Map(BAD.toReversed().map(([name, value, message]) => [name, { value, message }]));
  const options = Object.fromEntries(Array.from(first, ([name, { value }]) => [name, value]));
  assert.throws(
    () => resolve(options),
    (error: unknown) => {
      assert.ok(error instanceof ConfigurationError);
      const { problems } = error.details as { problems: readonly { path: string; expectation: string }[] };
      const texts = problems.map(({ path, expectation }) => `${path} ${expectation}`);
      for (const [name, { message }] of first)
        assert.ok(
          texts.some((text) => message.test(text)),
          name,
        );
      assert.equal(texts.length, first.size);
      return true;
    },
  );
});

test("the retentions of a fleet may be as long as 100 years, and that of a client as short as a minute", () => {
  const fleet = {
    auditRetention: { days: 36_500 },
    clientRetention: { seconds: 60 },
    minuteRetention: { seconds: 0 },
  };
  assert.deepEqual(resolve({ workers, fleet }).fleet, {
    auditRetentionMs: 36_500 * 86_400_000,
    clientRetentionMs: 60_000,
    minuteRetentionMs: 0,
  });
});

test("JS-101 unknown options and option names in Ms are refused by name, all in one error", () => {
  refused(
    {
      pollIntervalMs: 5,
      fetchCooldownMs: 5,
      jobTimeOut: 5,
      wokers: 1,
      queues: { a: { maxWorkers: 1, pollIntervalMs: 5 } },
    },
    /fetchCooldownMs is not an option; use fetchCooldown with a duration/,
    /jobTimeOut is not an option; did you mean jobTimeout\?/,
    /wokers is not an option; did you mean workers\?/,
    /queues\.a\.pollIntervalMs is not an option; use pollInterval/,
    /pollIntervalMs is not an option/,
    /queues must come with workers/,
  );
  for (const options of [null, [], 5, "x"]) refused(options, /options must be an object/);
});

test("JS-16 maxWorkers is 1 to 10,000 and required", () => {
  for (const maxWorkers of [1, 10_000]) {
    assert.equal(resolve({ workers, queues: { a: { maxWorkers } } }).runtime.queues.get("a")?.maxWorkers, maxWorkers);
  }
  for (const maxWorkers of [0, 10_001, 1.5, -1, Number.NaN, "5", 5n, Symbol("5"), null, undefined]) {
    refused({ workers, queues: { a: { maxWorkers } } }, /^queues\.a\.maxWorkers must be an integer from 1 to 10000$/);
  }
});

test("JS-19 JS-105 pacing resolves per queue, and the resolved values are compared", () => {
  const queues = {
    a: { maxWorkers: 1 },
    b: { maxWorkers: 1, fetchCooldown: { milliseconds: 50 }, pollInterval: { milliseconds: 50 } },
  };
  const settings = resolve({ workers, fetchCooldown: { milliseconds: 300 }, queues });
  assert.deepEqual(
    [...settings.runtime.queues.values()].map(({ fetchCooldownMs, pollIntervalMs }) => [
      fetchCooldownMs,
      pollIntervalMs,
    ]),
    [
      [300, 1_000],
      [50, 50],
    ],
  );
  const tooShort = /^queues\.a\.pollInterval must not be shorter than the fetchCooldown of/;
  refused({ workers, queues: { a: { maxWorkers: 1, pollInterval: { milliseconds: 99 } } } }, tooShort);
  refused({ workers, queues: { a: { maxWorkers: 1, fetchCooldown: { milliseconds: 1_001 } } } }, tooShort);
  refused({ workers, fetchCooldown: { seconds: 2 }, queues: { a: { maxWorkers: 1 } } }, tooShort);
});

test("queue names follow River's grammar", () => {
  for (const name of ["a", "a_b-c|d", "9", "x".repeat(64)]) resolve({ workers, queues: { [name]: { maxWorkers: 1 } } });
  for (const name of ["", "A", "a__b", "_a", "a-", "a b", "ä", "x".repeat(65)]) {
    refused({ workers, queues: { [name]: { maxWorkers: 1 } } }, /^queues\./);
  }
});

test("what is no options object, and a list with holes, is a ConfigurationError", () => {
  using driver = SqliteDriver.memory();
  for (const options of [0, Number.NaN, "", false, null, "x", [], () => {}]) {
    assert.throws(() => new Client(driver, options as never), {
      name: "ConfigurationError",
      message: /must be an object/,
    });
  }
  const hole: unknown[] = [];
  hole.length = 1;
  refused(
    { plugins: hole, middleware: hole, insertMiddleware: hole },
    /plugins\[0\] must be an object/,
    /middleware\[0\] must be a f/,
    /insertMiddleware\[0\] must be/,
  );
});

test("JS-93 JS-95 a client that never leads takes no periodic jobs and has the default near-future window", () => {
  const job = periodicJob({ job: task, every: { minutes: 1 }, args: {} });
  const maintenance = { schedulerInterval: { seconds: 60 } };
  assert.throws(() => resolve({ workers, leaderElectionDisabled: true, periodicJobs: [job] }), {
    message: "periodicJobs must be empty when leaderElectionDisabled is true",
  });
  using driver = SqliteDriver.memory();
  const client = new Client(driver, { leaderElectionDisabled: true, periodicJobs: [] });
  assert.throws(() => client.periodicJobs.add(job), ConfigurationError);
  assert.throws(() => client.periodicJobs.clear(), ConfigurationError);
  const settings = resolve({ workers, leaderElectionDisabled: true, periodicJobs: [], maintenance });
  assert.equal(settings.nearFutureMs, 5_000);
  assert.equal(resolve({ workers, maintenance }).nearFutureMs, 60_000);
});

test("JS-102 jobStuckThreshold and jobTimeout are options of the client; null means no timeout", () => {
  const settings = resolve({ workers, jobTimeout: null, jobStuckThreshold: { seconds: 1 } });
  assert.deepEqual([settings.jobTimeoutMs, settings.jobStuckThresholdMs], [null, 1_000]);
  assert.equal(resolve({ workers, jobTimeout: { hours: 2 } }).maintenance.rescueAfterMs, 3 * 3_600_000);
});

test("a generated client ID fits in rows of every client and differs from any other", () => {
  const now = Temporal.Instant.from("2026-01-02T03:04:05.123456789Z");
  const ids = new Set(Array.from({ length: 1_000 }, () => generateClientId(now)));
  assert.equal(ids.size, 1_000);
  for (const id of ids) assert.ok(/^[^.]+_2026_01_02T03_04_05_123456_[0-9a-f]{8}$/.test(id) && id.length <= 100, id);
  assert.match(generateClientId(now, "a.b".repeat(30)), /^(?:a_b){20}_2026_/);
  assert.match(generateClientId(now, ""), /^unknown_host_2026_/);
  assert.equal(resolve({ workers, clientId: "x".repeat(100) }).runtime.clientId.length, 100);
});

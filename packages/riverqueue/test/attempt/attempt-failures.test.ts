/** Failing attempts: whatever handlers throw and return, the error handler, and the choice of the retry time. */
import assert from "node:assert/strict";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import type { JobRow } from "../../src/model/job-row.ts";
import { cancel, discard, snooze } from "../../src/work/outcome.ts";
import { AttemptHarness, claimed, errorOf, metadataOf, START, summaryOf } from "./testdata/attempt-harness.ts";

/** An error whose `property` cannot be read. */
function hostile(property: string): Error {
  return Object.defineProperty(new Error("hostile"), property, {
    get() {
      throw new Error("getter");
    },
  });
}

function circular(): Error {
  const error = new Error("circular");
  error.cause = error;
  return error;
}

function throwing(value: unknown): () => never {
  return () => {
    throw value;
  };
}

const refuse = (): never => assert.fail("must not be called");

const { proxy, revoke } = Proxy.revocable({}, {});
revoke();

const ZOO: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["text", "text"],
  ["empty text", ""],
  ["a bigint", 42n],
  ["a symbol", Symbol("s")],
  ["an object", {}],
  ["an object without prototype", Object.create(null)],
  ["a revoked proxy", proxy],
  ["an error with a hostile message", hostile("message")],
  ["an error with a hostile name", hostile("name")],
  ["an error with a hostile stack", hostile("stack")],
  ["an error with a hostile cause", hostile("cause")],
  ["a frozen error", Object.freeze(new Error("frozen"))],
  ["an error that is its own cause", circular()],
  ["an aggregate of 10,000 errors", new AggregateError(Array.from({ length: 10_000 }, () => new Error("one")))],
  ["an error with a function", Object.assign(new Error("f"), { f: () => {} })],
  ["an error with a stack of 10 MB", Object.assign(new TypeError("s"), { stack: "x".repeat(10_000_000) })],
  ["an error without a message", new Error("")],
  ["a DOMException", new DOMException("dom", "DataError")],
];

for (const [name, value] of ZOO) {
  test(`C06: a handler throws ${name}: one storable error and a normal retry`, async () => {
    for (const errorStacks of ["faults", "always"] as const) {
      for (const handler of [throwing(value), () => Promise.reject(value)]) {
        const end = await new AttemptHarness({ errorStacks }).handle(handler).run();
        assert.equal(end.eventKind, "job_failed");
        assert.equal(end.settlement.state, "available");
        const entry = errorOf(end);
        assert.ok(entry !== null && entry.error !== "" && entry.error.length <= 32_768 && entry.trace.length <= 32_768);
      }
    }
  });
}

test("C06: a thenable that throws in then, and one whose then cannot be read, fail the attempt", async () => {
  const thenables: readonly object[] = [
    {
      // oxlint-disable-next-line unicorn/no-thenable -- the case is about thenables
      then() {
        throw new Error("in then");
      },
    },
    hostile("then"),
  ];
  const texts = [];
  for (const thenable of thenables) {
    texts.push(errorOf(await new AttemptHarness().handle(() => thenable as never).run())?.error);
  }
  assert.deepStrictEqual(texts, ["in then", "getter"]);
});

test("A.1 row 14: a returned value that is no outcome fails the attempt and names kind and type", async () => {
  const values: readonly (readonly [unknown, string])[] = [
    [null, "null"],
    [0, "a number"],
    ["done", "a string"],
    [false, "a boolean"],
    [[{ id: 1 }], "an array"],
    [{ type: "complete" }, "an object"],
    [new Date(), "an instance of Date"],
  ];
  for (const [value, type] of values) {
    const end = await new AttemptHarness().handle(async () => value as never).run();
    assert.equal(
      errorOf(end)?.error,
      `the handler of job kind "sample" returned ${type}; it must return nothing, or an outcome`,
    );
    assert.equal(errorOf(end)?.trace, "");
  }
});

test("JS-47: errorStacks always records the stack and the causes, and the message alone as error", async () => {
  const harness = new AttemptHarness({ errorStacks: "always" }).handle(
    throwing(new Error("top", { cause: new Error("below") })),
  );
  const entry = errorOf(await harness.run());
  assert.equal(entry?.error, "top");
  assert.match(entry?.trace ?? "", /Error: top[^]*caused by: Error: below/);
});

test("the error handler is called once for each failure, above middleware, and may ask to cancel", async () => {
  const seen: unknown[] = [];
  const harness = new AttemptHarness({
    middleware: [(_context, next) => next().catch(throwing(new Error("from middleware")))],
    errorHandler: async (context, error) => {
      assert.equal("setMetadata" in context, false);
      context.recordOutput("handled");
      seen.push((error as Error).message);
      return { cancel: true };
    },
  }).handle(throwing(new Error("from handler")));
  const end = await harness.run();
  assert.deepStrictEqual(seen, ["from middleware"]);
  assert.deepStrictEqual(summaryOf(end), ["cancelled", 1, "from middleware", "job_cancelled"]);
  assert.deepStrictEqual(metadataOf(end), { output: "handled" });
});

test("F-02: the error handler is not called for outcomes, success and interruption", async () => {
  for (const outcome of [undefined, snooze({ seconds: 1 }), discard({ reason: "r" }), cancel()]) {
    await new AttemptHarness({ errorHandler: refuse }).handle(() => outcome).run();
  }
  const harness = new AttemptHarness({ errorHandler: refuse }).handle(({ signal }) => signal.throwIfAborted());
  const attempt = harness.start();
  attempt.interrupt();
  assert.equal((await attempt.end).eventKind, "job_interrupted");
});

test("an error handler that throws is logged and taken to have asked for nothing", async () => {
  const harness = new AttemptHarness({ errorHandler: throwing(new Error("broken")) }).handle(
    throwing(new Error("boom")),
  );
  assert.deepStrictEqual(summaryOf(await harness.run()), ["available", 1, "boom", "job_failed"]);
  assert.equal(harness.logged[0]?.level, "error");
});

test("an answer of the error handler that is none is logged as an error and taken to have asked for nothing", async () => {
  const answers: readonly (readonly [unknown, RegExp])[] = [
    [{ cancell: true }, /^errorHandler\(\)\.cancell is not an option; did you mean cancel\?$/],
    [{ setCanceled: true }, /^errorHandler\(\)\.setCanceled is not an option; known are cancel$/],
    [{ cancel: true, retry: false }, /^errorHandler\(\)\.retry is not an option/],
    [{ cancel: "true" }, /^errorHandler\(\)\.cancel must be a boolean$/],
    ["cancel", /^errorHandler\(\) must be an object$/],
    [true, /^errorHandler\(\) must be an object$/],
    [null, /^errorHandler\(\) must be an object$/],
  ];
  for (const [answer, message] of answers) {
    const harness = new AttemptHarness({ errorHandler: () => answer as never }).handle(throwing(new Error("boom")));
    assert.deepStrictEqual(summaryOf(await harness.run()), ["available", 1, "boom", "job_failed"]);
    const [{ level, attributes } = assert.fail("nothing was logged"), ...others] = harness.logged;
    assert.equal(level, "error");
    assert.match(String(attributes["error"]), message);
    assert.deepStrictEqual(others, []);
  }
  for (const answer of [undefined, {}, { cancel: undefined }, { cancel: false }]) {
    const harness = new AttemptHarness({ errorHandler: () => answer }).handle(throwing(new Error("boom")));
    assert.deepStrictEqual(summaryOf(await harness.run()), ["available", 1, "boom", "job_failed"]);
    assert.deepStrictEqual(harness.logged, []);
  }
});

const at = (time: string): (() => Temporal.Instant) => {
  return () => Temporal.Instant.from(time);
};

test("the worker's policy is asked first, with the decoded job, then the client's, then the built-in one", async () => {
  const asked: unknown[] = [];
  const clientPolicy = (job: JobRow): Temporal.Instant => {
    asked.push(["client", job.args["n"]]);
    return Temporal.Instant.from("2026-02-01T00:00:00Z");
  };
  const checked = defineJob({ kind: "checked", decode: (value) => ({ twice: Number(value["n"]) * 2 }) });
  const harness = new AttemptHarness({ retryPolicy: clientPolicy });
  harness.workers.add(checked, throwing(new Error("boom")), {
    retryPolicy: (job, now) => {
      asked.push(["worker", job.args.twice, now.toString()]);
      return job.attempt === 1 ? Temporal.Instant.from("2026-03-01T00:00:00Z") : (undefined as never);
    },
  });
  const first = await harness.run(claimed({ kind: "checked" }));
  const second = await harness.run(claimed({ kind: "checked", attempt: 2 }));
  assert.equal(first.settlement.scheduledAt?.toString(), "2026-03-01T00:00:00Z");
  assert.equal(second.settlement.scheduledAt?.toString(), "2026-02-01T00:00:00Z");
  assert.deepStrictEqual(asked, [
    ["worker", 2, START],
    ["worker", 2, START],
    ["client", 1],
  ]);
});

const rejecting = (): never => Promise.reject(new Error("p")) as never;

test("a policy that throws or gives no storable time is passed over with a warning", async () => {
  for (const policy of [
    throwing(new Error("p")),
    rejecting,
    () => new Date() as never,
    at("+010000-01-01T00:00:00Z"),
  ]) {
    const harness = new AttemptHarness({ retryPolicy: policy }).handle(throwing(new Error("boom")), {
      retryPolicy: policy,
    });
    const end = await harness.run(claimed({ errors: '[{"error":"a"}]' }));
    assert.equal(end.settlement.scheduledAt?.toString(), "2026-01-02T03:04:21.678Z");
    assert.deepStrictEqual(
      harness.logged.map(({ level, attributes }) => [level, attributes["policy"]]),
      [
        ["warn", "worker"],
        ["warn", "client"],
      ],
    );
  }
});

test("a retry time in the past is replaced by the built-in policy's, with a warning", async () => {
  const harness = new AttemptHarness({ retryPolicy: at("2025-01-01T00:00:00Z") }).handle(throwing(new Error("boom")));
  const end = await harness.run();
  assert.equal(end.settlement.scheduledAt?.toString(), "2026-01-02T03:04:06.678Z");
  assert.match(harness.logged[0]?.message ?? "", /in the past/);
});

test("a retry time that is now is not in the past", async () => {
  const harness = new AttemptHarness({ retryPolicy: (_, now) => now }).handle(throwing(new Error("boom")));
  const end = await harness.run();
  assert.equal(end.settlement.scheduledAt?.toString(), START);
  assert.deepStrictEqual(harness.logged, []);
});

test("no policy is asked for the last attempt, and the worker's not without decoded arguments", async () => {
  const last = new AttemptHarness({ retryPolicy: refuse }).handle(throwing(new Error("boom")), { retryPolicy: refuse });
  assert.equal((await last.run(claimed({ attempt: 25 }))).settlement.state, "discarded");
  const undecoded = new AttemptHarness({ retryPolicy: at("2026-02-01T00:00:00Z") });
  undecoded.workers.add(defineJob({ kind: "checked", decode: throwing(new Error("bad")) }), () => {}, {
    retryPolicy: refuse,
  });
  const end = await undecoded.run(claimed({ kind: "checked" }));
  assert.equal(end.settlement.scheduledAt?.toString(), "2026-02-01T00:00:00Z");
  // A policy that was asked, and refused, would be in the log.
  for (const { logged } of [last, undecoded]) assert.deepStrictEqual(logged, []);
});

test("snoozes do not change the back-off: it counts recorded errors", async () => {
  const harness = new AttemptHarness().handle(throwing(new Error("boom")));
  const end = await harness.run(claimed({ attempt: 9, metadata: '{"snoozes":8}' }));
  assert.equal(end.settlement.scheduledAt?.toString(), "2026-01-02T03:04:06.678Z");
});

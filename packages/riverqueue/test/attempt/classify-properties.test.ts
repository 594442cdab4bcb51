/** What holds of every classification, whatever the attempt did. */
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { isFinalizedState } from "../../src/model/job-state.ts";
import type { AbortCause } from "../../src/runtime/attempt-abort.ts";
import { AttemptAbort } from "../../src/runtime/attempt-abort.ts";
import { type AttemptResult, attemptVerdict } from "../../src/runtime/attempt-verdict.ts";
import { classifyOutcome } from "../../src/runtime/classify-outcome.ts";
import { cancel, complete, discard, snooze } from "../../src/work/outcome.ts";
import { claimed, CLIENT_ID } from "./testdata/attempt-harness.ts";

const NOW = Temporal.Instant.from("2026-01-02T03:04:10Z");

const attempts = fc.record({
  attempt: fc.nat(40),
  maxAttempts: fc.integer({ min: 1, max: 30 }),
  causes: fc.uniqueArray(fc.constantFrom<AbortCause>("cancellation", "shutdown", "timeout")),
  ending: fc.constantFrom(
    "nothing",
    "complete",
    "snooze",
    "discard",
    "cancel",
    "stopped",
    "error",
    "fault",
    "hook cancel",
  ),
  snoozeMs: fc.nat(20_000),
  retryMs: fc.nat(20_000),
  handlerCancels: fc.boolean(),
});
type Attempt = typeof attempts extends fc.Arbitrary<infer T> ? T : never;

function resultOf({ ending, snoozeMs }: Attempt, aborts: AttemptAbort): AttemptResult {
  switch (ending) {
    case "nothing":
      return { type: "returned", outcome: undefined };
    case "complete":
      return { type: "returned", outcome: complete() };
    case "snooze":
      return { type: "returned", outcome: snooze({ milliseconds: snoozeMs }) };
    case "discard":
      return { type: "returned", outcome: discard({ reason: "r" }) };
    case "cancel":
      return { type: "returned", outcome: cancel() };
    case "stopped":
      return { type: "threw", error: aborts.reason ?? new Error("none"), cancel: null };
    case "fault":
      return { type: "threw", error: new RangeError("f"), cancel: null };
    case "hook cancel":
      return { type: "threw", error: new Error("h"), cancel: "unreported" };
    default:
      return { type: "threw", error: new Error("e"), cancel: null };
  }
}

function classify(attempt: Attempt): ReturnType<typeof classifyOutcome> {
  const aborts = new AttemptAbort();
  for (const cause of attempt.causes) {
    if (cause === "cancellation") aborts.cancel(7n);
    else aborts.abort(cause, new Error(cause));
  }
  return classifyOutcome({
    record: claimed({ attempt: attempt.attempt, maxAttempts: attempt.maxAttempts }),
    clientId: CLIENT_ID,
    startedAt: NOW,
    verdict: attemptVerdict(resultOf(attempt, aborts), aborts),
    handlerCancels: attempt.handlerCancels,
    retryTime: () => NOW.add({ milliseconds: attempt.retryMs }),
    now: NOW,
    staged: null,
    nearFutureMs: 5_000,
    errorStacks: "faults",
    deleteOnComplete: false,
  });
}

const holds = (check: (attempt: Attempt) => void): void => fc.assert(fc.property(attempts, check), { numRuns: 2_000 });

test("finalizedAt is set exactly in the finalized states, and scheduledAt exactly in the others", () => {
  holds((attempt) => {
    const { settlement } = classify(attempt);
    assert.equal(settlement.finalizedAt !== null, isFinalizedState(settlement.state));
    assert.equal(settlement.scheduledAt !== null, !isFinalizedState(settlement.state));
  });
});

test("the attempt number never becomes negative, and is given back exactly by snoozes and interruptions", () => {
  holds((attempt) => {
    const { settlement, eventKind } = classify(attempt);
    const givesBack = eventKind === "job_snoozed" || eventKind === "job_interrupted";
    assert.equal(settlement.newAttempt, givesBack ? Math.max(attempt.attempt - 1, 0) : null);
  });
});

test("an error is appended exactly when the attempt failed or was cancelled", () => {
  holds((attempt) => {
    const { settlement, eventKind } = classify(attempt);
    assert.equal(settlement.error !== null, eventKind === "job_failed" || eventKind === "job_cancelled");
  });
});

test("event and state agree", () => {
  const states: Readonly<Record<string, readonly string[]>> = {
    job_completed: ["completed"],
    job_cancelled: ["cancelled"],
    job_snoozed: ["available", "scheduled"],
    job_interrupted: ["available"],
    job_failed: ["available", "retryable", "discarded"],
  };
  holds((attempt) => {
    const { settlement, eventKind } = classify(attempt);
    assert.ok(states[eventKind]?.includes(settlement.state), `${eventKind} with ${settlement.state}`);
  });
});

test("JS-49: what runs again within the scheduler interval is available, and nothing else is", () => {
  holds((attempt) => {
    const { settlement } = classify(attempt);
    if (settlement.scheduledAt === null) return;
    const near = settlement.scheduledAt.epochMilliseconds - NOW.epochMilliseconds <= 5_000;
    assert.equal(settlement.state === "available", near);
  });
});

test("JS-108: success and cancellation are settled by nothing but themselves", () => {
  holds((attempt) => {
    const { settlement } = classify(attempt);
    const success = attempt.ending === "nothing" || attempt.ending === "complete";
    if (success) assert.equal(settlement.state, "completed");
    else if (attempt.causes.includes("cancellation")) assert.equal(settlement.state, "cancelled");
    else assert.notEqual(settlement.state, "completed");
  });
});

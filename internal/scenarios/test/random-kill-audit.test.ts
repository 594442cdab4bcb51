/** The audit of a fleet finds what is wrong with it. */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "@riverqueue/internal-test-kit/seeded-random";
import { auditFleet } from "../src/fleet/audit-fleet.ts";
import { attemptPlan } from "../src/fleet/attempt-plan.ts";
import type { FleetCall, FleetJob, FleetRecord, FleetStep } from "../src/fleet/fleet-store.ts";

const call = (changes: Partial<FleetCall> = {}): FleetCall => ({
  token: "a/0",
  jobId: 1n,
  attempt: 1,
  clientId: "a",
  end: "complete",
  ...changes,
});
const step = (from: string, to: string, changes: Partial<FleetStep> = {}): FleetStep => ({
  jobId: 1n,
  from,
  to,
  attempt: 1,
  clientId: "a",
  rescued: false,
  token: to === "running" ? null : "a/0",
  ...changes,
});
const job = (changes: Partial<FleetJob> = {}): FleetJob => ({
  id: 1n,
  state: "completed",
  attempt: 1,
  errors: 0,
  token: "a/0",
  output: null,
  ...changes,
});
const CLAIM = step("available", "running");
const GOOD: FleetRecord = { calls: [call()], steps: [CLAIM, step("running", "completed")], jobs: [job()] };

/** Killed in its first attempt, rescued, and worked again by another process. */
const RESCUED: FleetRecord = {
  calls: [call({ end: "output" }), call({ token: "b/0", attempt: 2, clientId: "b" })],
  steps: [
    CLAIM,
    step("running", "retryable", { rescued: true }),
    step("retryable", "available", { token: null }),
    step("available", "running", { attempt: 2, clientId: "b" }),
    step("running", "completed", { attempt: 2, clientId: "b", token: "b/0" }),
  ],
  jobs: [job({ attempt: 2, errors: 1, token: "b/0", output: "a/0" })],
};

function faultsOf(record: FleetRecord, changes: Partial<FleetRecord> = {}, expected: number = 1): string {
  return auditFleet({ ...record, ...changes }, new Set(["a"]), expected).faults.join("; ");
}

test("a job that went as planned, and one that was rescued, have no faults", () => {
  assert.equal(faultsOf(GOOD), "");
  assert.equal(faultsOf(RESCUED), "");
  assert.deepEqual(auditFleet(RESCUED, new Set(["a"]), 1).seen, {
    settled: 1,
    rescuedFromKilled: 1,
    rescuedFromLiving: 0,
    lateResults: 0,
  });
  assert.equal(auditFleet(RESCUED, new Set(), 1).seen.rescuedFromLiving, 1);
});

const snoozed = step("running", "scheduled");
const BAD: readonly (readonly [string, FleetRecord, RegExp])[] = [
  ["is lost", { ...GOOD, jobs: [] }, /1 jobs were inserted, and there are 0/],
  ["is left running", { ...GOOD, steps: [CLAIM], jobs: [job({ state: "running" })] }, /ended running/],
  ["changed unseen", { ...GOOD, jobs: [job({ state: "discarded" })] }, /is discarded after completed/],
  ["was promised another end", { ...GOOD, calls: [call({ end: "throw" })] }, /by a\/0, which was to throw/],
  ["was ended by nobody", { ...GOOD, calls: [] }, /no call says so/],
  ["ran without a claim", { ...GOOD, calls: [call(), call({ token: "a/1" })] }, /a\/1 was called without a claim/],
  ["counts too much", { ...GOOD, jobs: [job({ attempt: 2 })] }, /counts 2 attempts after 1 claims/],
  ["has an error too many", { ...GOOD, jobs: [job({ errors: 1 })] }, /has 1 errors after 0 failures/],
  ["has an output of nobody", { ...GOOD, jobs: [job({ output: "c/0" })] }, /output c\/0, which nobody left/],
  ["misses its output", { ...GOOD, calls: [call({ end: "output" })] }, /has the output null instead of a\/0/],
  ["carries a foreign mark", { ...GOOD, jobs: [job({ token: "b/0" })] }, /mark of b\/0, and was completed by a\/0/],
  [
    "runs again after its end",
    { ...GOOD, steps: [...GOOD.steps, step("completed", "running", { attempt: 2 })] },
    /left the final state completed/,
  ],
  [
    "was ended by who lost it",
    { ...RESCUED, steps: RESCUED.steps.with(4, step("running", "completed", { attempt: 2, clientId: "b" })) },
    /became completed by a\/0 of attempt 1, and belonged to b, 2/,
  ],
  [
    "was ended twice by one attempt",
    {
      calls: [call({ end: "snooze" })],
      steps: [CLAIM, snoozed, step("scheduled", "available"), CLAIM, snoozed],
      jobs: [job({ state: "scheduled" })],
    },
    /by a\/0, which had ended/,
  ],
  [
    "was cancelled by nobody",
    { calls: [], steps: [step("available", "cancelled")], jobs: [job({ state: "cancelled", attempt: 0 })] },
    /became cancelled from available/,
  ],
  [
    "was rescued to a success",
    { ...GOOD, steps: [CLAIM, step("running", "completed", { rescued: true })] },
    /was rescued to completed/,
  ],
];
for (const [what, record, fault] of BAD) {
  test(`a job that ${what} is a fault`, () => {
    assert.match(faultsOf(record), fault);
  });
}

test("a seed plans the same attempts every time, other seeds others, and all ends come", () => {
  assert.deepEqual(plansOf("s"), plansOf("s"));
  assert.notDeepEqual(plansOf("s"), plansOf("t"));
  const ends = new Set(Array.from({ length: 1_000 }, (_, n) => attemptPlan("s", n, "1 0").end));
  assert.equal(ends.size, 10);
  const random = seededRandom("s");
  const mean = Array.from({ length: 10_000 }, random).reduce((sum, number) => sum + number, 0) / 10_000;
  assert.ok(Math.abs(mean - 0.5) < 0.02, String(mean));
});

function plansOf(seed: string): unknown[] {
  return Array.from({ length: 200 }, (_, n) => attemptPlan(seed, n, "1 0"));
}

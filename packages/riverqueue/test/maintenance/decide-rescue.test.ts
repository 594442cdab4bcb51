/** The decision table of the rescuer. */
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { decideRescue, type RescueFacts, type RescueVerdict } from "../../src/maintenance/decide-rescue.ts";

const stuck: RescueFacts = {
  cancelRequested: false,
  worker: { decodes: true, timeoutMs: 60_000 },
  ageMs: 3_600_000,
  attempt: 1,
  maxAttempts: 25,
};
const lastAttempt = { attempt: 25 };

const TABLE: readonly [what: string, facts: Partial<RescueFacts>, verdict: RescueVerdict][] = [
  ["a job whose cancellation was asked for is cancelled", { cancelRequested: true }, "cancel"],
  ["so is one of an unknown kind", { cancelRequested: true, worker: null }, "cancel"],
  ["JS-99: a job of an unknown kind is discarded", { worker: null }, "discard"],
  ["undecodable arguments are retried", { worker: { decodes: false, timeoutMs: null } }, "retry_by_client_policy"],
  ["until the attempts are used up", { worker: { decodes: false, timeoutMs: null }, ...lastAttempt }, "discard"],
  ["a job without a timeout is left alone", { worker: { decodes: true, timeoutMs: null } }, "leave"],
  ["also in its last attempt", { worker: { decodes: true, timeoutMs: null }, ...lastAttempt }, "leave"],
  ["a job within its timeout is left alone", { ageMs: 59_999 }, "leave"],
  ["a job at its timeout is retried", { ageMs: 60_000 }, "retry_by_worker_policy"],
  ["until the attempts are used up, then it is discarded", lastAttempt, "discard"],
  ["more attempts than allowed are no attempts left", { attempt: 26 }, "discard"],
];

for (const [what, facts, verdict] of TABLE) {
  test(what, () => assert.equal(decideRescue({ ...stuck, ...facts }), verdict));
}

const facts: fc.Arbitrary<RescueFacts> = fc.record({
  cancelRequested: fc.boolean(),
  worker: fc.option(fc.record({ decodes: fc.boolean(), timeoutMs: fc.option(fc.nat(10_000_000)) })),
  ageMs: fc.nat(20_000_000),
  attempt: fc.integer({ min: 1, max: 30 }),
  maxAttempts: fc.integer({ min: 1, max: 30 }),
});

test("no live attempt is touched, and nothing with attempts left is discarded but for its kind", () => {
  fc.assert(
    fc.property(facts, (each) => {
      const verdict = decideRescue(each);
      const { cancelRequested, worker, ageMs, attempt, maxAttempts } = each;
      assert.equal(verdict === "cancel", cancelRequested);
      if (cancelRequested) return;
      const mayLive = worker?.decodes === true && (worker.timeoutMs === null || ageMs < worker.timeoutMs);
      assert.equal(verdict === "leave", mayLive);
      if (verdict === "discard") assert.ok(worker === null || attempt >= maxAttempts);
      if (verdict.startsWith("retry")) assert.ok(attempt < maxAttempts);
      assert.equal(verdict === "retry_by_worker_policy", !mayLive && worker?.decodes === true && attempt < maxAttempts);
    }),
    { numRuns: 2000 },
  );
});

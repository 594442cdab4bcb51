import assert from "node:assert/strict";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import { JobPreparer } from "../../src/insert/job-preparer.ts";
import { bitmaskOfStates, JOB_STATES, type JobState } from "../../src/model/job-state.ts";

const definition = defineJob({ kind: "job" });
const required: readonly JobState[] = ["available", "pending", "running", "scheduled"];
const all = [...JOB_STATES];

function maskFor(byState: readonly JobState[] | undefined): number | null | undefined {
  const preparer = new JobPreparer({}, Temporal.Instant.from("2026-01-01T00:00:00Z"));
  const paths = { job: "definition", args: "args", options: "" };
  preparer.add({ definition, args: {}, options: { unique: { byQueue: true, byState } }, paths });
  const [job] = preparer.finish() as Awaited<ReturnType<JobPreparer["finish"]>>;
  return job?.row.uniqueStates;
}

for (const [id, what, lists, mask] of [
  ["M1", "none or an empty list", [undefined, []], 245],
  ["M2", "required only", [required], 209],
  ["M3", "required and retryable", [[...required, "retryable"]], 241],
  ["M4", "required and completed", [[...required, "completed"]], 213],
  ["M5", "required and cancelled", [[...required, "cancelled"]], 211],
  ["M6", "required and discarded", [[...required, "discarded"]], 217],
  ["M7", "required, cancelled and discarded", [[...required, "cancelled", "discarded"]], 219],
  ["M8", "required, retryable and discarded", [[...required, "retryable", "discarded"]], 249],
  ["M9", "default and cancelled", [[...required, "completed", "retryable", "cancelled"]], 247],
  ["M10", "default and discarded", [[...required, "completed", "retryable", "discarded"]], 253],
  ["M11", "all, in any order and repeated", [all, all.toReversed(), [...all, ...all]], 255],
] as const) {
  test(`${id} mask of ${what}`, () => {
    for (const list of lists) assert.equal(maskFor(list as JobState[] | undefined), mask);
  });
}

for (const [id, state, mask, missing] of [
  ["M12", "available", 1, "pending, running, scheduled"],
  ["M13", "cancelled", 2, "available, pending, running, scheduled"],
  ["M14", "completed", 4, "available, pending, running, scheduled"],
  ["M15", "discarded", 8, "available, pending, running, scheduled"],
  ["M16", "pending", 16, "available, running, scheduled"],
  ["M17", "retryable", 32, "available, pending, running, scheduled"],
  ["M18", "running", 64, "available, pending, scheduled"],
  ["M19", "scheduled", 128, "available, pending, running"],
] as const) {
  test(`${id} mask of ${state} alone, which insertions refuse`, () => {
    assert.equal(bitmaskOfStates([state]), mask);
    assert.throws(() => maskFor([state]), {
      name: "ValidationError",
      message: `unique.byState must contain all required states, missing: ${missing}`,
    });
  });
}

test("a state that does not exist is named", () => {
  assert.throws(() => maskFor(["available", "done" as JobState]), {
    name: "ValidationError",
    message: 'unique.byState contains invalid state "done"',
  });
});

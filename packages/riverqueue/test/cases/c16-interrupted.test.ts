/** Attempts that a stop interrupts, through a whole client. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { aborted, clientOnSqlite } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

test("C16 JS-56 JS-57 JS-58 JS-59 a cancelling stop with one attempt each: rethrown, ignored, another error, a cause", async (t) => {
  const { start, insert, row, events } = await clientOnSqlite(t, {
    handler: async ({ job, signal }) => {
      const reason = await aborted(signal);
      if (job.args["n"] === 0) throw reason;
      // Later than the stop's own steps.
      if (job.args["n"] === 1) return void (await new Promise(setImmediate));
      if (job.args["n"] === 2) throw new Error("another");
      throw new Error("x", { cause: reason });
    },
  });
  const ids = await insert(4, { maxAttempts: 1 });
  const run = await start();
  await events.when("job_started", 4);
  await run.stop({ mode: "cancel" });
  const ends = [];
  for (const id of ids) {
    const { state, attempt, errors } = await row(id);
    ends.push([state, attempt, errors.map(({ error }) => error)]);
  }
  assert.deepEqual(ends, [
    ["available", 0, []],
    ["completed", 1, []],
    ["discarded", 1, ["another"]],
    ["available", 0, []],
  ]);
  const { job_interrupted: interrupted, job_completed: completed, job_failed: failed } = events.kinds();
  assert.deepEqual([interrupted, completed, failed], [2, 1, 1]);
});

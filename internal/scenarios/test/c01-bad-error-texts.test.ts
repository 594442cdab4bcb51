/** Error texts that Postgres cannot store, in one batch with completions that are all right. */
import assert from "node:assert/strict";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { complete } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { openScene } from "../src/scene.ts";

failOnLeaks();

/** The longest error text in UTF-16 units. */
const LIMIT = 32_768;
const LETTERS = "x".repeat(LIMIT - 1);

onBothDatabases(
  "C01 of ten jobs of one batch one fails with a NUL and one with an emoji at the limit",
  async (t, database) => {
    const together = Promise.withResolvers<void>();
    const { insert, start, events, row, states, calls, metrics, complaints } = openScene(t, database, {
      client: { retryPolicy: (_, now) => now.add({ hours: 1 }) },
      handler: async ({ job }) => {
        if (calls.length === 10) together.resolve();
        await withDeadline(together.promise, "all ten handlers");
        if (job.args["n"] === 5) throw new Error("bad\u0000byte");
        if (job.args["n"] === 6) throw new Error(`${LETTERS}\u{1f600}`);
        return complete({ output: { own: String(job.id) } });
      },
    });
    const ids = await insert(10);
    await start();
    await events.when("job_completed", 8);
    await events.when("job_failed", 2);
    assert.deepEqual(await states(), { completed: 8, retryable: 2 });
    for (const [index, id] of ids.entries()) {
      const { state, attempt, errors, metadata } = await row(id);
      assert.equal(attempt, 1);
      if (index === 4 || index === 5) {
        assert.equal(state, "retryable");
        assert.deepEqual(
          errors.map(({ error }) => error),
          [index === 4 ? "bad\ufffdbyte" : `${LETTERS}\ufffd`],
        );
      } else assert.equal(JSON.stringify([state, errors, metadata["output"]]), `["completed",[],{"own":"${id}"}]`);
    }
    assert.deepEqual(
      calls.toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.deepEqual(events.jobKinds(), { job_started: 10, job_completed: 8, job_failed: 2 });
    const lost = metrics.filter(({ name }) => name.startsWith("job_completion_"));
    assert.deepEqual(lost, []);
    assert.ok(
      complaints().every(({ attributes }) => attributes["jobId"] !== undefined),
      "none about storing",
    );
  },
);

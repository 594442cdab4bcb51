import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import { RefusedRows } from "../../src/kit/refused-rows.ts";
import { silentLogger } from "../../src/kit/logger.ts";

function memory(capacity = 10) {
  const clock = new ManualClock();
  const said: unknown[] = [];
  const logger = { ...silentLogger, error: (attributes: object, message: string) => said.push([attributes, message]) };
  const attributes = { queue: "mail" };
  const jobs = new RefusedRows<bigint>({
    attribute: "jobId",
    clock,
    logger,
    keepMs: 1_000,
    capacity,
    message: "refused",
    attributes,
  });
  return { clock, said, jobs };
}

test("a refused job is left alone for a while and said once, however often it is refused", async () => {
  const { clock, said, jobs } = memory();
  const error = new Error("no");
  assert.deepEqual(jobs.known, []);
  jobs.note(1n, error);
  await clock.advance(600);
  jobs.note(2n, error);
  assert.deepEqual(jobs.known, [1n, 2n]);
  await clock.advance(400);
  assert.deepEqual(jobs.known, [2n]);
  jobs.note(1n, error);
  assert.deepEqual(jobs.known, [2n, 1n]);
  assert.equal(jobs.noted, 3);
  assert.deepEqual(
    said,
    ["1", "2"].map((jobId) => [{ queue: "mail", jobId, error }, "refused"]),
  );
});

test("with too many of them the oldest are forgotten", () => {
  const { jobs } = memory(2);
  for (const id of [1n, 2n]) jobs.note(id, null);
  assert.equal(jobs.isFull, true);
  jobs.note(3n, null);
  assert.deepEqual(jobs.known, [2n, 3n]);
});

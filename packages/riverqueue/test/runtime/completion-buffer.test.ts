/** The order in which ends of attempts are written. */
import assert from "node:assert/strict";
import test from "node:test";
import { array, assert as check, integer, property } from "fast-check";
import type { AttemptEnd } from "../../src/runtime/attempt-end.ts";
import { CompletionBuffer } from "../../src/runtime/completion-buffer.ts";

function endOf(id: number): AttemptEnd {
  return { record: { id: BigInt(id) } } as AttemptEnd;
}

test("batches hold at most one end of a job, keep each job's order, and lose nothing", () => {
  check(
    property(array(integer({ min: 1, max: 5 }), { maxLength: 40 }), integer({ min: 1, max: 10 }), (ids, batchSize) => {
      const buffer = new CompletionBuffer(batchSize);
      const ends = ids.map(endOf);
      for (const end of ends) buffer.push(end);
      const taken: AttemptEnd[] = [];
      while (buffer.size > 0) {
        assert.equal(buffer.hasFullBatch, buffer.size >= batchSize);
        const batch = buffer.takeBatch();
        assert.ok(batch.length >= 1 && batch.length <= batchSize);
        assert.equal(new Set(batch.map(({ record }) => record.id)).size, batch.length);
        taken.push(...batch);
      }
      assert.equal(taken.length, ends.length);
      for (let id = 1n; id <= 5n; id++) {
        const [expected, actual] = [ofJob(ends, id), ofJob(taken, id)];
        assert.ok(expected.every((end, index) => end === actual[index]));
      }
    }),
  );
});

test("what failed goes in front again, and everything can be taken at once", () => {
  const buffer = new CompletionBuffer(2);
  const [a, b, c] = [endOf(1), endOf(2), endOf(3)] as const;
  for (const end of [a, b, c]) buffer.push(end);
  buffer.unshift(buffer.takeBatch());
  assert.deepEqual(buffer.takeAll(), [a, b, c]);
  assert.equal(buffer.size, 0);
  assert.deepEqual([buffer.countLocked(a), buffer.countLocked(a), buffer.countLocked(b)], [1, 2, 1]);
});

function ofJob(list: readonly AttemptEnd[], id: bigint): AttemptEnd[] {
  return list.filter(({ record }) => record.id === id);
}

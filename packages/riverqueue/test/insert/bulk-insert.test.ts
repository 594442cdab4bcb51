import assert from "node:assert/strict";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import { openInserter } from "./testdata/inserter-bench.ts";

const kinds = ["bulk.one", "bulk.two", "bulk.three"].map((kind) => defineJob({ kind }));

function heterogeneous(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    job: kinds[index % kinds.length] ?? defineJob({ kind: "bulk.none" }),
    args: { index },
    options: { queue: `queue${index % 7}`, priority: (index % 4) + 1 },
  }));
}

test("C07 tens of thousands of different jobs are inserted in order, in one call", async (t) => {
  const { inserter, database } = await openInserter(t);
  const count = 40_000;
  const results = await inserter.insertMany(heterogeneous(count));
  assert.equal(results.length, count);
  results.forEach(({ job, status }, index) => {
    assert.equal(status, "inserted");
    assert.equal(job.args["index"], index);
    assert.equal(job.kind, kinds[index % kinds.length]?.kind);
  });
  assert.equal(database.prepare("SELECT count(*) AS n FROM river_job").get()?.["n"], count);
});

test("C07 one bad item near the end leaves nothing", async (t) => {
  const { inserter, uses, rows } = await openInserter(t);
  const items = heterogeneous(40_000);
  const bad = items.length - 2;
  items.splice(bad, 1, ...heterogeneous(1).map((item) => ({ ...item, options: { queue: "Bad", priority: 1 } })));
  await assert.rejects(inserter.insertMany(items), (error) => {
    assert.equal((error as Error).name, "ValidationError");
    assert((error as Error).message.startsWith(`items[${bad}].options.queue `));
    return true;
  });
  assert.deepEqual(uses, []);
  assert.deepEqual(rows(), []);
});

test("C07 of 1,000 pairs with one unique key each, one is inserted and one is its duplicate", async (t) => {
  const { inserter, rows } = await openInserter(t);
  const [job = defineJob({ kind: "bulk.none" })] = kinds;
  const items = Array.from({ length: 2_000 }, (_, index) => ({
    job,
    args: { pair: index % 1_000 },
    options: { unique: { byArgs: true } },
  }));
  const results = await inserter.insertMany(items);
  for (let pair = 0; pair < 1_000; pair++) {
    const [first, second] = [results[pair], results[pair + 1_000]];
    assert.deepEqual([first?.status, second?.status], ["inserted", "duplicate"]);
    assert.equal(first?.job.id, second?.job.id);
  }
  assert.equal(rows().length, 1_000);
});

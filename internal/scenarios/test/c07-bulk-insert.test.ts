/** More jobs in one call than a statement has parameters: all of them in order, or none. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { defineJob, ValidationError } from "riverqueue";
import { type Database, onBothDatabases } from "../src/database.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

const kinds = ["bulk.one", "bulk.two", "bulk.three"].map((kind) => defineJob({ kind }));
/** The whole process, with results and all. */
const MEMORY_LIMIT_KB = 400 * 1_024;

function countFor({ backend }: Database): number {
  return backend === "postgres" ? 70_000 : 40_000;
}

function heterogeneous(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    job: kinds[index % kinds.length] ?? task,
    args: { index },
    options: { queue: `queue${index % 7}`, priority: (index % 4) + 1, tags: index % 5 === 0 ? ["fifth"] : [] },
  }));
}

async function countRows(database: Database): Promise<number> {
  const [row] = await database.query("SELECT count(*) AS n FROM river_job");
  return Number(row?.["n"]);
}

onBothDatabases("C07 tens of thousands of different jobs are inserted in order, in one call", async (t, database) => {
  const { client } = openScene(t, database);
  const count = countFor(database);
  const results = await client.insertMany(heterogeneous(count));
  assert.equal(results.length, count);
  let before = 0n;
  for (const [index, { job, status }] of results.entries()) {
    assert.equal(status, "inserted");
    assert.equal(job.args["index"], index);
    assert.equal(job.kind, kinds[index % kinds.length]?.kind);
    assert.ok(job.id > before);
    before = job.id;
  }
  assert.equal(await countRows(database), count);
  const { maxRSS } = process.resourceUsage();
  assert.ok(maxRSS < MEMORY_LIMIT_KB, `${maxRSS} KB`);
});

onBothDatabases("C07 one bad item near the end leaves nothing", async (t, database) => {
  const { client } = openScene(t, database);
  const items = heterogeneous(countFor(database));
  const bad = items.length - 2;
  const spoiled = items.with(bad, {
    job: task,
    args: { index: bad },
    options: { queue: "Bad", priority: 1, tags: [] },
  });
  await assert.rejects(client.insertMany(spoiled), (error) => {
    assert.ok(error instanceof ValidationError, String(error));
    assert.ok(error.message.startsWith(`items[${bad}].options.queue `), error.message);
    return true;
  });
  assert.equal(await countRows(database), 0);
});

onBothDatabases(
  "C07 of 1,000 pairs with one unique key each, one is inserted and one is its duplicate",
  async (t, database) => {
    const { client } = openScene(t, database);
    const items = Array.from({ length: 2_000 }, (_, index) => ({
      job: task,
      args: { pair: index % 1_000 },
      options: { unique: { byArgs: true as const } },
    }));
    const results = await client.insertMany(items);
    for (let pair = 0; pair < 1_000; pair++) {
      const [first, second] = [results[pair], results[pair + 1_000]];
      assert.deepEqual([first?.status, second?.status], ["inserted", "duplicate"]);
      assert.equal(first?.job.id, second?.job.id);
    }
    assert.equal(await countRows(database), 1_000);
  },
);

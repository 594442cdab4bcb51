/** Rows are decoded when they are asked for: what nobody looks at is never parsed, readable or not. */
import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { Client, defineJob, Workers } from "riverqueue";
import { claim, driverFixture, insert } from "./fixture/driver-fixture.ts";

failOnLeaks();

const CHARACTERISTICS = { tags: ["a", "b"], metadata: '{"a":1}' } as const;
/** Functions of the driver that parse a value of a row, by the file they are in. */
const PARSERS = { "record/pg-array.ts": "parseArray", "record/pg-time.ts": "parseTime" } as const;

/** How often the engine enters each of the parsers, and `JSON.parse`, while `work` runs. */
async function parsesOf(work: () => Promise<void>): Promise<Record<string, number>> {
  const counts: Record<string, number> = { json: 0, parseArray: 0, parseTime: 0 };
  const session = new Session();
  session.connect();
  const { parse } = JSON;
  JSON.parse = (...args): unknown => {
    counts["json"] = (counts["json"] ?? 0) + 1;
    return parse(...args);
  };
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    for (const [file, name] of Object.entries(PARSERS)) {
      const functions = result.find(({ url }) => url.endsWith(file))?.functions ?? [];
      counts[name] = functions.find(({ functionName }) => functionName === name)?.ranges[0]?.count ?? 0;
    }
  } finally {
    JSON.parse = parse;
    session.disconnect();
  }
  return counts;
}

test("a claim parses nothing of what it returns, until somebody asks", async (t) => {
  const { driver } = await driverFixture(t);
  await insert(driver, ...Array.from({ length: 20 }, () => CHARACTERISTICS));
  const parses = await parsesOf(async () => {
    assert.equal((await claim(driver, 10)).length, 10);
  });
  assert.deepEqual(parses, { json: 0, parseArray: 0, parseTime: 0 });
  // The counting counts.
  const asked = await parsesOf(async () => {
    for (const job of await claim(driver, 10)) {
      assert.deepEqual([job.tags, job.metadata.includes("a"), JSON.parse(job.args)], [["a", "b"], true, {}]);
      assert.ok(job.createdAt);
    }
  });
  assert.deepEqual(asked, { json: 10, parseArray: 10, parseTime: 10 });
});

test("a client parses no array of the jobs whose handlers look at nothing, when nobody listens to its events", async (t) => {
  const { driver, lease } = await driverFixture(t);
  const job = defineJob({ kind: "blind" });
  const workers = new Workers().add(job, () => {});
  const client = new Client(driver, { queues: { default: { maxWorkers: 10 } }, workers, logger: false });
  await client.insertMany(Array.from({ length: 20 }, () => ({ job, args: {}, options: { tags: ["one", "two"] } })));
  const parses = await parsesOf(async () => {
    const run = await client.start();
    await pollUntil(async () => {
      const [row] = await lease.query("SELECT count(*)::int AS n FROM river_job WHERE state = 'completed'");
      return row?.["n"] === 20;
    });
    await run.stop();
  });
  assert.equal(parses["parseArray"], 0);
});

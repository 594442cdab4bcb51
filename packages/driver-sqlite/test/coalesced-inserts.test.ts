/** Insertions in flight together share a transaction, and none notices. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JobToInsert } from "riverqueue/driver";
import type { SqliteDriver } from "@riverqueue/driver-sqlite";
import { driverFixture, insert, keyOf, newJob } from "./fixture/driver-fixture.ts";

const UNIQUE = { uniqueKey: keyOf(1), uniqueStates: 245 };

function insertAll(
  driver: SqliteDriver,
  ...requests: Partial<JobToInsert>[][]
): Promise<PromiseSettledResult<bigint[]>[]> {
  return Promise.allSettled(requests.map(async (jobs) => (await insert(driver, ...jobs)).map(({ id }) => id)));
}

test("a key goes to the first that asks for it", async (t) => {
  const { driver } = await driverFixture(t);
  const answers = await Promise.all(
    [1, 2, 3].map((n) =>
      driver.jobs.insert({ jobs: [newJob({ ...UNIQUE, args: `{"n":${n}}` })], notices: [], durability: "default" }),
    ),
  );
  assert.deepEqual(
    answers.map(([result]) => result?.duplicate),
    [false, true, true],
  );
  assert.deepEqual(
    answers.map(([result]) => result?.job.args),
    ['{"n":1}', '{"n":1}', '{"n":1}'],
  );
});

test("a lock that stays taken fails them all, and none is written", async (t) => {
  const { driver, database } = await driverFixture(t, { busyTimeout: { milliseconds: 10 } });
  database.exec("BEGIN IMMEDIATE");
  const answers = await insertAll(driver, [{}], [UNIQUE], [{}, {}]);
  assert.ok(answers.every((answer) => answer.status === "rejected" && answer.reason.retryable === true));
  database.exec("COMMIT");
  assert.equal(database.prepare("SELECT count(*) AS n FROM river_job").get()?.["n"], 0);
});

/** Rows of queues that somebody damaged: their queues are worked, named in the log, and cost the others nothing. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { clientOnSqlite, quickQueue } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const QUEUES = { bad: quickQueue(1), good: quickQueue(1) };
const OPTIONS = {
  client: {
    queues: QUEUES,
    pollOnly: true,
    leaderElectionDisabled: true,
    queueControlPollInterval: { milliseconds: 10 },
  },
};

test("a client starts with a queue whose metadata cannot be read, works it, and names it once", async (t) => {
  const { client, driver, start, insert, sql, events, logs } = await clientOnSqlite(t, OPTIONS);
  await driver.queues.keepAlive({ name: "bad" });
  sql.exec("UPDATE river_queue SET metadata = 'garbage'");
  await insert(1, { queue: "bad" });
  await insert(1, { queue: "good" });
  await start();
  await events.when("job_completed", 2);
  await client.queues.pause("bad");
  await events.when("queue_paused");
  await client.queues.resume("bad");
  await events.when("queue_resumed");
  const said = logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    said.map(({ attributes: { queue } }) => queue),
    ["bad"],
  );
  assert.match(String(said[0]?.attributes["error"]), /river_queue\.metadata of queue "bad" cannot be read/);
});

test("a queue whose time of pause cannot be read is paused until it is resumed", async (t) => {
  const { client, driver, start, insert, sql, events } = await clientOnSqlite(t, OPTIONS);
  await driver.queues.keepAlive({ name: "bad" });
  sql.exec("UPDATE river_queue SET paused_at = 'soon'");
  const [bad] = await insert(1, { queue: "bad" });
  const [good] = await insert(1, { queue: "good" });
  const run = await start();
  await events.when("job_completed");
  assert.deepEqual([run.diagnostics.queues["bad"]?.paused, run.diagnostics.queues["good"]?.paused], [true, false]);
  assert.equal((await client.jobs.get(good ?? 0n))?.state, "completed");
  assert.equal((await client.jobs.get(bad ?? 0n))?.state, "available");
  await client.queues.resume("bad");
  await events.when("job_completed", 2);
});

test("queues are listed with one that is damaged, whose column alone throws", async (t) => {
  const { client, driver, sql } = await clientOnSqlite(t, OPTIONS);
  for (const name of ["a", "bad", "c"]) await driver.queues.keepAlive({ name });
  sql.exec("UPDATE river_queue SET metadata = jsonb('5') WHERE name = 'bad'");
  const { queues } = await client.queues.list();
  assert.deepEqual(
    queues.map(({ name, pausedAt }) => [name, pausedAt]),
    ["a", "bad", "c"].map((name) => [name, null]),
  );
  assert.throws(() => queues[1]?.metadata, { code: "database", message: /of queue "bad"/ });
  assert.deepEqual({ ...queues[2]?.metadata }, {});
});

test("a queue whose row cannot be stored is named when the start fails", async (t) => {
  const { client, driver, sql, logs } = await clientOnSqlite(t, OPTIONS);
  await driver.queues.keepAlive({ name: "bad" });
  sql.exec("CREATE TRIGGER app_refuse BEFORE UPDATE ON river_queue BEGIN SELECT RAISE(ABORT, 'refused'); END");
  await assert.rejects(client.start(), { code: "database" });
  const said = logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    said.map(({ attributes: { queue } }) => queue),
    ["bad"],
  );
});

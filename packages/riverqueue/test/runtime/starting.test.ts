/** How a client starts, and what a start that fails leaves behind. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import test from "node:test";
import { createMigrator } from "@riverqueue/migrate";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { Client } from "../../src/client/river-client.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import { UnsupportedCapabilityError } from "../../src/model/errors/unsupported-capability-error.ts";
import { Workers } from "../../src/work/workers.ts";
import { insertOnlyContext } from "../operations/testdata/insert-only-driver.ts";
import { clientOnSqlite, quickQueue, task } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

test("JS-109 JS-18 the notice stream listens and every queue has its row before the first claim", async (t) => {
  const calls: string[] = [];
  const { start, events, insert } = await clientOnSqlite(t, {
    client: { queues: { default: quickQueue(), other: quickQueue() }, leaderElectionDisabled: true },
    intercept: (verb, _, proceed) => {
      calls.push(verb);
      return proceed();
    },
  });
  await insert();
  const run = await start();
  await events.when("job_completed");
  assert.deepEqual(calls.slice(0, 4), ["notices.listen", "queues.keepAlive", "queues.keepAlive", "jobs.claim"]);
  assert.deepEqual(Object.keys(run.diagnostics.queues), ["default", "other"]);
});

test("JS-70 a stream that cannot listen rejects start before any claim, and start may be tried again", async (t) => {
  const failure = databaseError("transient", "notices.listen");
  const calls: string[] = [];
  let broken = true;
  const { client, driver, start, insert, events } = await clientOnSqlite(t, {
    intercept: (verb, _, proceed) => {
      calls.push(verb);
      if (verb === "notices.listen" && broken) throw failure;
      return proceed();
    },
  });
  await insert();
  await assert.rejects(client.start(), failure);
  assert.deepEqual(calls, ["notices.listen"]);
  // Refused while a session is open.
  assert.doesNotThrow(() => driver.connect().close());
  broken = false;
  const run = await start();
  await events.when("job_completed");
  await run.stop();
  assert.equal(events.of("job_started").length, 1);
});

test("JS-74 a start that fails at one queue waits for the others, closes everything and claims nothing", async (t) => {
  const slow = deferred<void>();
  const calls: string[] = [];
  const { client, driver } = await clientOnSqlite(t, {
    client: { queues: { bad: quickQueue(), slow: quickQueue() } },
    intercept: async (verb, params: { readonly name?: string }, proceed) => {
      calls.push(`${verb} ${params.name ?? ""}`.trim());
      if (params.name === "slow") await slow.promise;
      if (params.name === "bad") throw new ConfigurationError("no such table");
      return proceed();
    },
  });
  let settled = false;
  const started = client.start().finally(() => (settled = true));
  started.catch(() => {});
  await new Promise(setImmediate);
  assert.equal(settled, false);
  slow.resolve();
  await assert.rejects(started, new ConfigurationError("no such table"));
  assert.deepEqual(calls, ["notices.listen", "queues.keepAlive bad", "queues.keepAlive slow"]);
  assert.doesNotThrow(() => driver.close());
});

test("JS-74 a failure that no retry can mend, met during start-up, is the failure of the start", async (t) => {
  const lost = new ConfigurationError("listening is not allowed");
  let lose: ((error: unknown) => void) | null = null;
  const { client, events } = await clientOnSqlite(t, {
    intercept: async (verb, params: { onLost: (error: unknown) => void }, proceed) => {
      if (verb === "notices.listen") lose = params.onLost;
      if (verb === "queues.keepAlive") lose?.(lost);
      return proceed();
    },
  });
  await assert.rejects(client.start(), lost);
  assert.deepEqual(events.kinds(), {});
});

test("a database without River's tables is refused with the command that makes them", async (t) => {
  const database = new DatabaseSync(join(temporaryFolder(t), "empty.db"));
  t.after(() => database.close());
  using driver = new SqliteDriver(database);
  const options = { queues: { default: { maxWorkers: 1 } }, workers: new Workers().add(task, () => {}) };
  const client = new Client(driver, { ...options, logger: false });
  await assert.rejects(client.start(), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /river_job.*migrate-up/);
    return true;
  });
  await createMigrator({ database }).migrateUp();
  const run = await client.start();
  await run.stop();
});

test("a client starts at most once, also while its first start is under way", async (t) => {
  const { client, start } = await clientOnSqlite(t);
  const first = start();
  await assert.rejects(client.start(), LifecycleError);
  const run = await first;
  await assert.rejects(client.start(), LifecycleError);
  await run.stop();
  await assert.rejects(client.start(), LifecycleError);
});

test("start asks for queues and for workers", async (t) => {
  const { driver } = await clientOnSqlite(t);
  await assert.rejects(new Client(driver, { logger: false }).start(), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /queues/);
    return true;
  });
  const client = new Client(driver, { queues: { default: { maxWorkers: 1 } }, workers: new Workers(), logger: false });
  await assert.rejects(client.start(), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /workers/);
    return true;
  });
});

test("a client of a driver that only inserts cannot start and takes no queues", async () => {
  const driver = insertOnlyContext.driver as never;
  const workers = new Workers().add(task, () => {});
  const queues = { default: { maxWorkers: 1 } };
  assert.throws(() => new Client(driver, { queues, workers }), ConfigurationError);
  await assert.rejects(new Client(driver, {}).start(), UnsupportedCapabilityError);
  for (const bad of [undefined, null, {}, "driver"]) assert.throws(() => new Client(bad as never), ConfigurationError);
});

test("JS-103 many starts and stops leave no session, timer or running row", async (t) => {
  const { driver, states, client } = await clientOnSqlite(t);
  const workers = new Workers().add(task, () => {});
  const rounds = 100;
  for (let round = 0; round < rounds; round++) {
    await client.insert(task, {});
    const again = new Client<DatabaseSync>(driver, { queues: { default: quickQueue() }, workers, logger: false });
    const run = await again.start();
    await run.stop({ mode: round % 2 === 0 ? "graceful" : "cancel" });
    await run.completed;
  }
  assert.equal(states()["running"], undefined);
  assert.equal(process.listenerCount("SIGTERM"), 0);
  driver.close();
});

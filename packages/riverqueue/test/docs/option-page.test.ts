import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { Pool } from "pg";
import { Client, cron, defineJob, periodicJob, Workers } from "../../src/index.ts";
import { resolveStopOptions } from "../../src/runtime/stop-options.ts";
import { Page } from "./testdata/read-page.ts";

const page = new Page("reference/options.md");

/** A name that is like no other, so that the refusal lists all that are known. */
const UNKNOWN = { "§": 1 } as object;

const driver = SqliteDriver.memory();
const client = new Client(driver);
const database = new DatabaseSync(":memory:");
const job = defineJob({ kind: "any_kind" });
const migrator = createMigrator({ database });
const handler = (): void => {};

/** What is refused for each section of the page. */
const REFUSALS: Readonly<Record<string, () => unknown>> = {
  Client: () => new Client(driver, UNKNOWN),
  Queues: () => new Client(driver, { queues: { default: { maxWorkers: 1, ...UNKNOWN } } }),
  Maintenance: () => new Client(driver, { maintenance: UNKNOWN }),
  "Event-loop delay": () => new Client(driver, { eventLoopDelay: UNKNOWN }),
  Hooks: () => new Client(driver, { hooks: UNKNOWN }),
  Plugins: () => new Client(driver, { plugins: [{ name: "x", ...UNKNOWN }] }),
  "Job definition": () => defineJob({ kind: "other_kind", ...UNKNOWN }),
  Insert: () => client.insert(job, {}, UNKNOWN),
  Unique: () => client.insert(job, {}, { unique: UNKNOWN }),
  Worker: () => new Workers().add(job, handler, UNKNOWN),
  Stop: () => resolveStopOptions(UNKNOWN),
  Subscribe: () => client.subscribe(UNKNOWN),
  "Periodic job": () => periodicJob({ job, args: {}, every: { hours: 1 }, ...UNKNOWN }),
  Cron: () => cron("@daily", UNKNOWN),
  "Job list": () => client.jobs.list(UNKNOWN),
  "Job deletion": () => client.jobs.deleteMany({ all: true, ...UNKNOWN }),
  "Job update": () => client.jobs.update(1n, UNKNOWN),
  "Queue list": () => client.queues.list(UNKNOWN),
  "Queue update": () => client.queues.update("x", UNKNOWN),
  Inspect: () => client.inspect.counts(UNKNOWN),
  "SQLite driver": () => SqliteDriver.memory(UNKNOWN),
  "Postgres driver": () => new PgDriver(new Pool(), UNKNOWN),
  Migrator: () => createMigrator({ database }, UNKNOWN),
  Migrate: () => migrator.migrateUp(UNKNOWN),
  Validate: () => migrator.validate(UNKNOWN),
};

/** Refusals of the same options elsewhere, which must list the same names. */
const TWINS: Readonly<Record<string, () => unknown>> = {
  Insert: () => new Client(driver, { defaultInsertOptions: UNKNOWN }),
  "SQLite driver": () => transaction(new DatabaseSync(":memory:"), handler, UNKNOWN),
  Migrate: () => migrator.migrateDown(UNKNOWN),
};

async function knownNames(refused: () => unknown): Promise<string[]> {
  try {
    await refused();
  } catch (error) {
    const list = /§(?: is not an option; known are|: unknown option, expected(?: one of)?) ([^;]+)/.exec(
      (error as Error).message,
    )?.[1];
    assert.ok(list, (error as Error).message);
    return list.split(", ").toSorted();
  }
  throw new Error("an unknown option was accepted");
}

test.after(() => {
  database.close();
  driver.close();
});

test("every section of the page is compared with what is accepted", () => {
  assert.deepEqual(page.sections, Object.keys(REFUSALS));
});

for (const [section, refused] of Object.entries(REFUSALS)) {
  test(`the options of the section ${section} are those that are accepted, both ways`, async () => {
    assert.deepEqual(page.names(section).toSorted(), await knownNames(refused));
  });
}

for (const [section, refused] of Object.entries(TWINS)) {
  test(`the options of the section ${section} are accepted elsewhere too`, async () => {
    const known = await knownNames(refused);
    assert.deepEqual(
      page
        .names(section)
        .filter((name) => name !== "tx")
        .toSorted(),
      known,
    );
  });
}

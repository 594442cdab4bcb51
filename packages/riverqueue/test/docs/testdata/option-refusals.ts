/** Where each section of the options page is accepted, and so where an unknown option of it is refused. */
import { DatabaseSync } from "node:sqlite";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { Pool } from "pg";
import { Client, cron, defineJob, periodicJob, Workers } from "../../../src/index.ts";
import { resolveStopOptions } from "../../../src/runtime/stop-options.ts";

const driver = SqliteDriver.memory();
const client = new Client(driver);
const database = new DatabaseSync(":memory:");
const job = defineJob({ kind: "any_kind" });
const migrator = createMigrator({ database });
const handler = (): void => {};

/** Gives some options to what takes them; refused, or answered with a promise that rejects. */
export type Refusal = (options: object) => unknown;

/** By section. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  Client: (options) => new Client(driver, options),
  Queues: (options) => new Client(driver, { queues: { default: { maxWorkers: 1, ...options } } }),
  Maintenance: (options) => new Client(driver, { maintenance: options }),
  "Event-loop delay": (options) => new Client(driver, { eventLoopDelay: options }),
  Fleet: (options) => new Client(driver, { fleet: options }),
  Hooks: (options) => new Client(driver, { hooks: options }),
  Plugins: (options) => new Client(driver, { plugins: [{ name: "x", ...options }] }),
  "Job definition": (options) => defineJob({ kind: "other_kind", ...options }),
  Insert: (options) => client.insert(job, {}, options),
  Unique: (options) => client.insert(job, {}, { unique: options }),
  Worker: (options) => new Workers().add(job, handler, options),
  Stop: (options) => resolveStopOptions(options),
  Subscribe: (options) => client.subscribe(options),
  "Periodic job": (options) => periodicJob({ job, args: {}, every: { hours: 1 }, ...options }),
  Cron: (options) => cron("@daily", options),
  "Job list": (options) => client.jobs.list(options),
  "Job deletion": (options) => client.jobs.deleteMany({ all: true, ...options }),
  "Job update": (options) => client.jobs.update(1n, options),
  "Queue list": (options) => client.queues.list(options),
  "Queue update": (options) => client.queues.update("x", options),
  Inspect: (options) => client.inspect.counts(options),
  "SQLite driver": (options) => SqliteDriver.memory(options),
  "Postgres driver": (options) => new PgDriver(new Pool(), options),
  Migrator: (options) => createMigrator({ database }, options),
  Migrate: (options) => migrator.migrateUp(options),
  Validate: (options) => migrator.validate(options),
};

/** Where options of a section are accepted as well. */
export const TWINS: Readonly<Record<string, Refusal>> = {
  Insert: (options) => new Client(driver, { defaultInsertOptions: options }),
  "SQLite driver": (options) => transaction(new DatabaseSync(":memory:"), handler, options),
  Migrate: (options) => migrator.migrateDown(options),
};

/** Closes what the refusals use. */
export function closeRefusals(): void {
  database.close();
  driver.close();
}

/** A client on a leased SQLite database, with its events and log entries; stopped and closed after the test. */
import type { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { type LeasedSqliteDatabase, leaseSqliteDatabase, ManualClock, withDeadline } from "@riverqueue/internal-test-kit";
import type { RunHandle } from "../../src/api/run-handle.ts";
import type { ClientOptions } from "../../src/client/client-options.ts";
import { Client } from "../../src/client/river-client.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import type { InsertOptions } from "../../src/definition/insert-options.ts";
import type { JobDefinition } from "../../src/definition/job-definition.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { attachEnvironment, type Environment } from "../../src/kit/environment.ts";
import type { LogAttributes, LogLevel } from "../../src/kit/logger.ts";
import type { JobRow } from "../../src/model/job-row.ts";
import type { RiverEventKind } from "../../src/model/river-event.ts";
import type { WorkHandler } from "../../src/work/work-handler.ts";
import { Workers } from "../../src/work/workers.ts";
import { EventLog } from "@riverqueue/internal-test-kit/event-log";
import { type Intercept, interceptedDriver } from "./intercepted-driver.ts";

/** The kind that most tests work. */
export const task: JobDefinition<JsonObject, JsonObject, "task"> = defineJob({ kind: "task" });

/** How a test wants its client. */
export interface ClientOnSqliteOptions {
  /** Works the kind `task`; finishes at once unless given. */
  readonly handler?: WorkHandler<typeof task>;
  /** Further options; one queue `default` with ten workers and a fast pace unless given. */
  readonly client?: ClientOptions;
  readonly environment?: Partial<Environment>;
  readonly database?: LeasedSqliteDatabase;
  readonly intercept?: Intercept;
  /** Kinds to subscribe to; all unless given. */
  readonly eventKinds?: readonly RiverEventKind[];
  readonly busyTimeoutMs?: number;
}

/** An entry of the client's log. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly attributes: LogAttributes;
}

/** See the file header. */
export interface ClientOnSqlite {
  readonly client: Client;
  readonly database: LeasedSqliteDatabase;
  /** A handle of the test's own. */
  readonly sql: DatabaseSync;
  readonly driver: SqliteDriver;
  readonly events: EventLog;
  readonly logs: readonly LogEntry[];
  readonly start: () => Promise<RunHandle>;
  /** Inserts `count` jobs of the kind `task` with `{ n }` counting from 0; their IDs. */
  readonly insert: (count?: number, options?: InsertOptions) => Promise<bigint[]>;
  /** The stored job. */
  readonly row: (id: bigint) => Promise<JobRow>;
  /** Number of jobs by state. */
  readonly states: () => Record<string, number>;
}

const QUICK = { fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 50 } };

/** A queue that polls often. */
export function quickQueue(maxWorkers: number = 10): { maxWorkers: number } & typeof QUICK {
  return { maxWorkers, ...QUICK };
}

/** See the file header. */
export async function clientOnSqlite(t: TestContext, options: ClientOnSqliteOptions = {}): Promise<ClientOnSqlite> {
  const database = options.database ?? (await leaseSqliteDatabase(t));
  const sql = database.open({ timeout: 5_000 });
  const driver = new SqliteDriver(sql, { busyTimeout: { milliseconds: options.busyTimeoutMs ?? 5_000 } });
  const logs: LogEntry[] = [];
  const workers = new Workers().add(task, options.handler ?? (() => undefined));
  const clientOptions: ClientOptions = {
    queues: { default: quickQueue() },
    workers,
    eventLoopDelay: false,
    logger: loggerInto(logs),
    ...options.client,
  };
  if (options.environment) attachEnvironment(clientOptions, options.environment);
  const client: Client = new Client(
    options.intercept ? interceptedDriver(driver, options.intercept) : driver,
    clientOptions,
  );
  const events = new EventLog(client.subscribe({ capacity: 1_000_000, ...(options.eventKinds && { kinds: options.eventKinds }) }));
  let run: RunHandle | null = null;
  t.after(async () => {
    if (run !== null) await stopAtLast(run, options.environment?.clock);
    driver.close();
  });
  return {
    client,
    database,
    sql,
    driver,
    events,
    logs,
    async start() {
      run = await client.start();
      return run;
    },
    async insert(count = 1, insertOptions) {
      const items = Array.from({ length: count }, (_, n) => ({ job: task, args: { n }, ...(insertOptions && { options: insertOptions }) }));
      const results = await client.insertMany(items);
      return results.map(({ job }) => job.id);
    },
    async row(id) {
      const job = await client.jobs.get(id);
      if (job === null) throw new Error(`job ${id} is gone`);
      return job;
    },
    states() {
      const rows = sql.prepare("SELECT state, count(*) AS count FROM river_job GROUP BY state").all();
      return Object.fromEntries(rows.map(({ state, count }) => [state as string, Number(count)]));
    },
  };
}

function loggerInto(logs: LogEntry[]): NonNullable<ClientOptions["logger"]> {
  const log = (level: LogLevel) => (attributes: LogAttributes, message: string) => void logs.push({ level, message, attributes });
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}

/** A clock that the test moves, as the surroundings of a client and its database. */
export function manualEnvironment(clock: ManualClock = new ManualClock()): Partial<Environment> & { clock: ManualClock } {
  return { clock, databaseNow: () => clock.now(), random: () => 0.5 };
}

/** Resolves when the signal aborts; the reason of the abort. */
export function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
}

/** A clock that the test no longer moves would keep a client from stopping. */
async function stopAtLast(run: RunHandle, clock: unknown): Promise<void> {
  const stop = run.stop({ mode: "cancel" });
  if (clock instanceof ManualClock) await advanceUntil(clock, stop);
  await withDeadline(stop, "the stop after the test");
}

/** Moves the clock on until `promise` settles, or for an hour of its time; what the promise resolves to. */
export async function advanceUntil<T>(clock: ManualClock, promise: Promise<T>, stepMs: number = 1_000): Promise<T> {
  const settled = new AbortController();
  const settle = (): void => settled.abort();
  promise.then(settle, settle);
  for (const end = clock.monotonic() + 3_600_000; !settled.signal.aborted && clock.monotonic() < end; ) {
    await clock.advance(stepMs);
  }
  return withDeadline(promise, "what the clock was moved for");
}

/** A client at work on a database, with its events, log entries and handler calls; stopped after the test. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { withDeadline } from "@riverqueue/internal-test-kit";
import {
  Client,
  type ClientOptions,
  defineJob,
  type InsertOptions,
  type JobDefinition,
  type JobRow,
  type JsonObject,
  type LogAttributes,
  type LogLevel,
  type RiverMetric,
  type RunHandle,
  type WorkHandler,
  Workers,
} from "riverqueue";
import { beforeClosing, type Database } from "./database.ts";
import { EventLog } from "@riverqueue/internal-test-kit/event-log";

/** The kind that scenarios work. */
export const task: JobDefinition<JsonObject, JsonObject, "task"> = defineJob({ kind: "task" });

/** An entry of the client's log. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly attributes: LogAttributes;
}

/** How a scenario wants its client. */
export interface SceneOptions {
  /** Works the kind `task`; finishes at once unless given. */
  readonly handler?: WorkHandler<typeof task>;
  /** Further options; one queue `default` with ten workers and a fast pace unless given. */
  readonly client?: ClientOptions;
}

/** See the file header. */
export interface Scene {
  readonly client: Client;
  readonly database: Database;
  readonly events: EventLog;
  readonly logs: readonly LogEntry[];
  readonly metrics: readonly RiverMetric[];
  /** The argument `n` of every call of the handler, in order. */
  readonly calls: readonly number[];
  readonly start: () => Promise<RunHandle>;
  /** Inserts `count` jobs of the kind `task` with `{ n }` counting from 1; their IDs. */
  readonly insert: (count?: number, options?: InsertOptions) => Promise<bigint[]>;
  /** The stored job. */
  readonly row: (id: bigint) => Promise<JobRow>;
  /** Number of jobs by state. */
  readonly states: () => Promise<Record<string, number>>;
  /** Log entries of warnings and errors. */
  readonly complaints: () => readonly LogEntry[];
}

/** A queue that polls often. */
export function quickQueue(maxWorkers: number = 10): NonNullable<ClientOptions["queues"]>[string] {
  return { maxWorkers, fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 50 } };
}

/** See the file header. */
export function openScene(t: TestContext, database: Database, options: SceneOptions = {}): Scene {
  const logs: LogEntry[] = [];
  const metrics: RiverMetric[] = [];
  const calls: number[] = [];
  const { handler } = options;
  const workers = new Workers().add(task, (context) => {
    calls.push(Number(context.job.args["n"]));
    return handler?.(context);
  });
  const client: Client = new Client(database.driver, {
    queues: { default: quickQueue() },
    workers,
    eventLoopDelay: false,
    logger: loggerInto(logs),
    hooks: { onMetric: (metric) => void metrics.push(metric) },
    ...options.client,
  });
  const events = new EventLog(client.subscribe({ capacity: 1_000_000 }));
  let run: RunHandle | null = null;
  beforeClosing(t, async () => {
    if (run !== null) await withDeadline(run.stop({ mode: "cancel" }), "the stop after the test");
  });
  return {
    client,
    database,
    events,
    logs,
    metrics,
    calls,
    async start() {
      run = await client.start();
      // A runtime that fails is a failure of its test, told by the rejection of its end.
      run.completed.catch((error: unknown) => assert.fail(`the runtime failed: ${String(error)}`));
      return run;
    },
    async insert(count = 1, insertOptions) {
      const inserted = await client.insertMany(numbered(count, insertOptions));
      return inserted.map(({ job }) => job.id);
    },
    async row(id) {
      const job = await client.jobs.get(id);
      if (job === null) throw new Error(`job ${id} is gone`);
      return job;
    },
    async states() {
      const rows = await database.query("SELECT state, count(*) AS count FROM river_job GROUP BY state ORDER BY state");
      return Object.fromEntries(rows.map(({ state, count }) => [state as string, Number(count)]));
    },
    complaints: () => logs.filter(({ level }) => level === "warn" || level === "error"),
  };
}

/** Jobs of the kind `task` with `{ n }` counting from 1. */
export function numbered(
  count: number,
  options?: InsertOptions,
): { job: typeof task; args: { n: number }; options?: InsertOptions }[] {
  return Array.from({ length: count }, (_, index) => ({
    job: task,
    args: { n: index + 1 },
    ...(options && { options }),
  }));
}

/** A logger that keeps its entries. */
export function loggerInto(logs: LogEntry[]): Exclude<ClientOptions["logger"], false | undefined> {
  const log = (level: LogLevel) => (attributes: LogAttributes, message: string) =>
    void logs.push({ level, message, attributes });
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}

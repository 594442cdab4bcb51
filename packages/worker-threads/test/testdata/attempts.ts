/** Attempts without a client: contexts that note what a thread's handler sends them. */
import type { TestContext } from "node:test";
import { withDeadline } from "@riverqueue/internal-test-kit";
import {
  defineJob,
  type JobDefinition,
  jobFromJsonValue,
  type JobRow,
  type JsonObject,
  type JsonValue,
  type LogLevel,
  parseJson,
  stringifyJson,
  type WorkContext,
  type WorkExecutor,
  type WorkExecutorAbortResult,
  type WorkExecutorHandle,
  type WorkExecutorTarget,
  type WorkLogFunction,
  type WorkOutcome,
} from "riverqueue";
import { WorkerThreads } from "../../src/index.ts";
import type { WorkerThreadsOptions } from "../../src/worker-threads-options.ts";

/** The kind that most tests work; its arguments are not checked. */
export const task: JobDefinition<JsonObject, JsonObject, "task"> = defineJob({ kind: "task" });

/** Handlers of the tests, of which there is only the TypeScript source. */
export const handlers: URL = new URL("./handlers.js", import.meta.url);

/** Handlers that end their threads; they need nothing of the core, so that their threads start quickly. */
export const crashers: URL = new URL("./crashers.js", import.meta.url);

/** What an attempt has sent. */
export interface Sent {
  readonly logs: { readonly level: LogLevel; readonly attributes: unknown; readonly message: string }[];
  readonly output: JsonValue[];
  readonly metadata: Map<string, JsonValue>;
}

/** How a job differs from the usual one. */
export interface JobChanges {
  readonly id?: bigint;
  readonly kind?: string;
  readonly rawArgs?: JsonObject;
  /** Decoded arguments; the persisted ones unless given. */
  readonly args?: unknown;
  readonly priority?: number;
}

/** A context like a client's, with everything that it is sent. */
export function contextOf(changes: JobChanges = {}): { readonly context: WorkContext; readonly sent: Sent } {
  const sent: Sent = { logs: [], output: [], metadata: new Map() };
  const level = (name: LogLevel): WorkLogFunction => {
    return (attributes: unknown, message?: string): void =>
      void sent.logs.push(
        typeof attributes === "string"
          ? { level: name, attributes: null, message: attributes }
          : { level: name, attributes, message: message ?? "" },
      );
  };
  const { rawArgs = { n: 1 } } = changes;
  const context = {
    job: { ...jobOf(changes), rawArgs, args: "args" in changes ? changes.args : rawArgs },
    execution: { attemptedBy: "client-1", startedAt: Temporal.Instant.from("2026-12-01T01:02:03.123456789Z") },
    logger: { debug: level("debug"), error: level("error"), info: level("info"), warn: level("warn") },
    recordOutput: (output: JsonValue) => void sent.output.push(output),
    setMetadata: (key: string, value: JsonValue) => void sent.metadata.set(key, value),
    signal: new AbortController().signal,
    client: { insertMany: async () => [] },
  };
  return { context: context as unknown as WorkContext, sent };
}

/** A running job. */
function jobOf({ id = 7n, kind = "task", priority = 1 }: JobChanges): JobRow {
  const job = {
    id: String(id),
    kind,
    queue: "default",
    state: "running",
    priority,
    attempt: 2,
    maxAttempts: 25,
    args: {},
    metadata: { note: "kept" },
    tags: ["red"],
    attemptedBy: ["client-0", "client-1"],
    errors: [{ at: "2026-12-01T01:00:00.5Z", attempt: 1, error: "once", trace: "" }],
    createdAt: "2026-12-01T00:00:00Z",
    scheduledAt: "2026-12-01T00:00:00.000001Z",
    attemptedAt: "2026-12-01T01:02:03Z",
    finalizedAt: null,
    uniqueKey: Buffer.alloc(32, 5).toString("base64"),
    uniqueStates: ["available", "pending", "running", "scheduled"],
  };
  return jobFromJsonValue(parseJson(stringifyJson(job)));
}

/** An attempt that was started. */
export interface Started {
  readonly sent: Sent;
  readonly handle: WorkExecutorHandle;
  /** What came of it, or the error. */
  readonly end: Promise<WorkOutcome | Error | undefined>;
  /** Waits until a thread runs the handler. */
  readonly begun: () => Promise<void>;
  readonly abort: (reason?: unknown, grace?: Temporal.DurationLike) => PromiseLike<WorkExecutorAbortResult>;
}

/** An executor with its targets, closed after the test. */
export interface ExecutorUnderTest<Executor extends WorkExecutor> {
  readonly executor: Executor;
  /** Starts an attempt on an export of the handlers. */
  readonly start: (exportName: string, changes?: JobChanges, module?: URL) => Started;
  readonly target: (exportName: string, module?: URL) => WorkExecutorTarget;
}

interface Closing extends WorkExecutor {
  handler(definition: JobDefinition, target: { exportName: string; module: URL }): WorkExecutorTarget;
  close(): Promise<void>;
}

/** See {@link ExecutorUnderTest}. Two threads unless said otherwise. */
export function threads(t: TestContext, options: Partial<WorkerThreadsOptions> = {}): ExecutorUnderTest<WorkerThreads> {
  return underTest(t, new WorkerThreads({ maxThreads: 2, ...options }));
}

/** Wraps an executor that was made. */
export function underTest<Executor extends Closing>(t: TestContext, executor: Executor): ExecutorUnderTest<Executor> {
  t.after(() => executor.close());
  const target = (exportName: string, module: URL = handlers): WorkExecutorTarget =>
    executor.handler(task, { exportName, module });
  return {
    executor,
    target,
    start(exportName, changes, module) {
      const { context, sent } = contextOf(changes);
      const handle = executor.start(context, target(exportName, module).handler);
      const end = Promise.resolve(handle.result).catch((error: unknown) => error as Error);
      return {
        sent,
        handle,
        end: withDeadline(end, `the end of ${exportName}`),
        begun: () => withDeadline(Promise.resolve(handle.started), `the start of ${exportName}`),
        abort: (reason = new Error("stop"), grace = { seconds: 20 }) =>
          handle.abort(reason, { gracePeriod: Temporal.Duration.from(grace) }),
      };
    },
  };
}

/** Runs attempts without a database: a record literal in, the end of the attempt out. */
import assert from "node:assert/strict";
import { ManualClock } from "@riverqueue/internal-test-kit/manual-clock";
import type { Client } from "../../../src/api/client.ts";
import { defineJob } from "../../../src/definition/define-job.ts";
import type { JobDefinition } from "../../../src/definition/job-definition.ts";
import { type ExtensionOptions } from "../../../src/extend/river-hooks.ts";
import { resolveExtensions } from "../../../src/extend/resolve-extensions.ts";
import { environmentOf } from "../../../src/kit/environment.ts";
import type { JobRecord } from "../../../src/model/job-record.ts";
import type { RiverEvent } from "../../../src/model/river-event.ts";
import { OptionProblems } from "../../../src/options/option-problems.ts";
import type { AttemptEnd } from "../../../src/runtime/attempt-end.ts";
import {
  type AttemptDependencies,
  AttemptRunner,
  type RunningAttempt,
} from "../../../src/runtime/attempt-runner.ts";
import type { WorkHandler } from "../../../src/work/work-handler.ts";
import type { WorkerOptions } from "../../../src/work/worker-options.ts";
import { Workers } from "../../../src/work/workers.ts";

/** The client that claims in these tests. */
export const CLIENT_ID = "client-1";
/** When the clock of an `AttemptHarness` stands still at first. */
export const START = "2026-01-02T03:04:05.678Z";

/** The kind most tests work. */
export const sample: JobDefinition<unknown, unknown, "sample"> = defineJob({ kind: "sample" }) as JobDefinition<
  unknown,
  unknown,
  "sample"
>;

/** A claimed row. */
export function claimed(changes: Partial<JobRecord> = {}): JobRecord {
  return {
    id: 7n,
    kind: "sample",
    queue: "default",
    state: "running",
    priority: 1,
    attempt: 1,
    maxAttempts: 25,
    args: '{"n":1}',
    metadata: "{}",
    errors: "[]",
    tags: [],
    attemptedBy: [CLIENT_ID],
    createdAt: Temporal.Instant.from("2026-01-01T00:00:00Z"),
    scheduledAt: Temporal.Instant.from("2026-01-01T00:00:00Z"),
    attemptedAt: Temporal.Instant.from(START),
    finalizedAt: null,
    uniqueKey: null,
    uniqueStates: null,
    ...changes,
  };
}

/** An entry that was logged. */
export interface LoggedEntry {
  readonly level: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What a harness is made of; the rest has defaults. */
export interface HarnessOptions extends Partial<Omit<AttemptDependencies<unknown>, "extensions">>, ExtensionOptions<unknown> {}

/** An attempt whose end can be described. */
export type StartedAttempt = RunningAttempt & { readonly end: Promise<AttemptEnd> };

/** A runner with a clock that stands still, and what it told the world. */
export class AttemptHarness {
  readonly clock: ManualClock = new ManualClock(START);
  readonly events: RiverEvent[] = [];
  readonly logged: LoggedEntry[] = [];
  readonly released: RunningAttempt[] = [];
  readonly workers: Workers<unknown> = new Workers<unknown>();
  readonly runner: AttemptRunner<unknown>;

  constructor(options: HarnessOptions = {}) {
    const { hooks, insertMiddleware, middleware, plugins, ...dependencies } = options;
    const problems = new OptionProblems();
    const extensions = resolveExtensions({ hooks, insertMiddleware, middleware, plugins }, problems);
    problems.throwConfiguration();
    const log =
      (level: string) =>
      (attributes: Readonly<Record<string, unknown>>, message: string): void =>
        void this.logged.push({ level, attributes, message });
    this.runner = new AttemptRunner<unknown>({
      facets: { jobs: {} as AttemptDependencies<unknown>["facets"]["jobs"] },
      backend: "sqlite",
      client: { clientId: CLIENT_ID } as Client<unknown>,
      clientId: CLIENT_ID,
      workers: this.workers,
      extensions,
      errorHandler: null,
      retryPolicy: null,
      stuckHandler: null,
      jobTimeoutMs: 60_000,
      jobStuckThresholdMs: 10_000,
      nearFutureMs: 5_000,
      errorStacks: "faults",
      logger: { debug: log("debug"), error: log("error"), info: log("info"), warn: log("warn") },
      environment: { ...environmentOf(undefined), clock: this.clock, random: () => 0.5 },
      hub: { wanted: () => true, emit: (event) => void this.events.push(event) },
      releaseSlot: (attempt) => void this.released.push(attempt),
      ...dependencies,
    });
  }

  /** Adds a worker for the kind `sample`. */
  handle(handler: WorkHandler<typeof sample, unknown>, options?: WorkerOptions<typeof sample, unknown>): this {
    this.workers.add(sample, handler, options);
    return this;
  }

  start(record: JobRecord = claimed(), cancelled = false): StartedAttempt {
    const attempt = this.runner.start(record, cancelled);
    return Object.assign(attempt, { end: attempt.end.then(described) });
  }

  run(record: JobRecord = claimed()): Promise<AttemptEnd> {
    return this.start(record).end;
  }
}

function described(end: AttemptEnd | null): AttemptEnd {
  assert.ok(end, "the end of the attempt could not be described");
  return end;
}

/** The error entry of an end, parsed. */
export function errorOf(end: AttemptEnd): { at: string; attempt: number; error: string; trace: string } | null {
  return end.settlement.error === null ? null : JSON.parse(end.settlement.error);
}

/** The metadata of an end, parsed. */
export function metadataOf(end: AttemptEnd): Record<string, unknown> | null {
  return end.settlement.metadata === null ? null : JSON.parse(end.settlement.metadata);
}

/** State, attempt number, whether an error was recorded, and event: what the truth tables state. */
export function summaryOf(end: AttemptEnd): readonly [string, number, string | null, string] {
  const { state, newAttempt, attempt } = end.settlement;
  return [state, newAttempt ?? attempt, errorOf(end)?.error ?? null, end.eventKind];
}

/** One row of the truth tables as an attempt at a stored job: claimed from a real database, aborted, settled, read back. */
import type { TestContext } from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { defineJob } from "../../../src/definition/define-job.ts";
import type { JobDefinition } from "../../../src/definition/job-definition.ts";
import type { JobsFacet } from "../../../src/driver/jobs-facet.ts";
import { deferred } from "../../../src/kit/deferred.ts";
import type { AttemptEnd } from "../../../src/runtime/attempt-end.ts";
import type { JobRecord } from "../../../src/model/job-record.ts";
import { AttemptAbort } from "../../../src/runtime/attempt-abort.ts";
import type { AttemptResult } from "../../../src/runtime/attempt-verdict.ts";
import { AttemptRun } from "../../../src/runtime/attempt-run.ts";
import { eventKindOf } from "../../../src/runtime/settlement-event.ts";
import type { WorkExecutor } from "../../../src/work/work-executor.ts";
import type { WorkOutcome } from "../../../src/work/outcome.ts";
import { AttemptHarness, CLIENT_ID, sample } from "./attempt-harness.ts";
import type { TruthTableRow } from "./truth-table-row.ts";

/** A database that attempts are stored in. */
export interface AttemptDatabase {
  readonly jobs: Pick<JobsFacet<unknown>, "cancel" | "claim" | "get" | "insert" | "settle">;
  /** Sets the attempt number of all jobs. */
  readonly setAttempt: (attempt: number) => Promise<void>;
  /** Makes the arguments of all jobs JSON that is no object. */
  readonly damageArgs: () => Promise<void>;
}

/** A database of the test's own in an SQLite file. */
export async function attemptsOnSqlite(t: TestContext): Promise<AttemptDatabase> {
  const database = (await leaseSqliteDatabase(t)).open();
  const driver = new SqliteDriver(database);
  t.after(() => driver.close());
  return {
    jobs: driver.jobs,
    setAttempt: async (attempt) => void database.prepare("UPDATE river_job SET attempt = ?").run(attempt),
    damageArgs: async () => database.exec("UPDATE river_job SET args = jsonb('[1]')"),
  };
}

/** A database of the test's own on Postgres. */
export async function attemptsOnPostgres(t: TestContext): Promise<AttemptDatabase> {
  const database = await leasePostgresDatabase(t);
  return {
    jobs: new PgDriver(database.pool()).jobs,
    setAttempt: async (attempt) => void (await database.query("UPDATE river_job SET attempt = $1", [attempt])),
    damageArgs: async () => void (await database.query("UPDATE river_job SET args = '[1]'")),
  };
}

/** An attempt that has ended and is not settled yet. */
export interface PlayedAttempt {
  readonly before: JobRecord;
  readonly end: AttemptEnd;
  /** Whether the error handler was called. */
  readonly reported: boolean;
  /** When it ended. */
  readonly now: Temporal.Instant;
}

/** What came of an attempt. */
export interface StoredAttempt extends PlayedAttempt {
  /** Null when the row is gone. */
  readonly after: JobRecord | null;
  readonly event: string | null;
}

/** What every attempt stages as soon as code of its own runs. */
export const STAGED: Readonly<Record<string, unknown>> = { output: "half", seen: true };

/** Plays the row and writes its end. */
export async function playStored(database: AttemptDatabase, row: TruthTableRow): Promise<StoredAttempt> {
  return settleStored(database, await playAttempt(database, row));
}

/** Writes the end of an attempt, whatever became of its row meanwhile. */
export async function settleStored({ jobs }: AttemptDatabase, played: PlayedAttempt): Promise<StoredAttempt> {
  const { before, end, now } = played;
  const [settled] = await jobs.settle({ settlements: [end.settlement], wantRows: false }, { now });
  if (settled === undefined) throw new Error("the settlement was not answered");
  return { ...played, after: await jobs.get({ id: before.id }), event: eventKindOf(end, settled) };
}

/** Plays the row up to its end. Whoever cancels from outside marks the stored job before the attempt hears of it. */
export async function playAttempt(
  { jobs, setAttempt, damageArgs }: AttemptDatabase,
  row: TruthTableRow,
): Promise<PlayedAttempt> {
  const { causes = [], attempt: number = 3, maxAttempts = 25, setting } = row;
  let reported = false;
  const begun = deferred<void>();
  const aborted = deferred<AttemptAbort>();
  const harness = harnessOf(
    row,
    () => (reported = true),
    () => {
      begun.resolve();
      return aborted.promise;
    },
  );

  const before = await claimOne(jobs, maxAttempts, async () => {
    await setAttempt(number);
    if (setting === "damaged row") await damageArgs();
  });
  const attempt = harness.start(before);
  if (!(attempt instanceof AttemptRun)) throw new TypeError("an attempt of the runner is expected");
  if (setting === undefined || setting === "waiting for a thread") await begun.promise;
  for (const cause of causes) {
    if (cause === "timeout") await harness.clock.advance(60_000);
    else if (cause === "shutdown") attempt.interrupt();
    else {
      await jobs.cancel({ id: before.id, requestedAt: harness.clock.now() }, { now: harness.clock.now() });
      attempt.cancel();
    }
  }
  aborted.resolve(attempt.aborts);
  const end = await attempt.end;
  return { before, end, reported, now: harness.clock.now() };
}

/** The surroundings in which a handler comes to the row's result, or does not run at all. */
function harnessOf(
  { result, retryIn = 60, handlerCancels = false, setting }: TruthTableRow,
  onReported: () => void,
  begin: () => Promise<AttemptAbort>,
): AttemptHarness {
  const harness = new AttemptHarness({
    hooks: {
      beforeWork: (context) => {
        for (const [key, value] of Object.entries(STAGED)) {
          if (key === "output") context.recordOutput(value as string);
          else context.setMetadata(key, value as boolean);
        }
        if (setting === "throwing hook") endingOf(result(new AttemptAbort()));
      },
    },
    retryPolicy: (_, now) => now.add({ milliseconds: retryIn * 1_000 }),
    errorHandler: () => {
      onReported();
      return { cancel: handlerCancels };
    },
  });
  if (setting === "unknown kind") return harness;
  if (setting === "waiting for a thread") {
    harness.workers.addExecutor(sample, { executor: busyExecutor(begin), handler: null });
    return harness;
  }
  // Whoever asked a worker's policy without decoded arguments would get another time.
  const early = setting !== undefined && setting !== "no outcome";
  harness.workers.add(
    setting === "refused arguments" ? refusing(result(new AttemptAbort())) : sample,
    async () => {
      if (setting === "no outcome") return 5 as never;
      return endingOf(result(await begin()));
    },
    early ? { retryPolicy: (_, now) => now.add({ hours: 9 }) } : {},
  );
  return harness;
}

/** An executor without a free thread, which gives its waiting attempt back when that is aborted. */
function busyExecutor(onWaiting: () => unknown): WorkExecutor {
  return {
    name: "busy",
    start: () => {
      const result = deferred<undefined>();
      onWaiting();
      return {
        result: result.promise,
        started: new Promise(() => {}),
        abort: (reason) => {
          result.reject(reason);
          return Promise.resolve({ terminated: false });
        },
      };
    },
  };
}

/** The kind `sample` with arguments that do not decode. */
function refusing(result: AttemptResult): JobDefinition {
  return defineJob({
    kind: "sample",
    decode: () => {
      endingOf(result);
      return {};
    },
  }) as JobDefinition;
}

function endingOf(result: AttemptResult): WorkOutcome | undefined {
  if (result.type === "threw") throw result.error;
  return result.outcome;
}

/** Inserts a job and claims it. */
export async function claimOne(
  jobs: AttemptDatabase["jobs"],
  maxAttempts: number,
  prepare: () => Promise<void>,
): Promise<JobRecord> {
  const job = {
    kind: "sample",
    queue: "default",
    state: "available",
    priority: 1,
    maxAttempts,
    args: "{}",
    metadata: '{"keep":1}',
    tags: [],
    scheduledAt: null,
    uniqueKey: null,
    uniqueStates: null,
  } as const;
  await jobs.insert({ jobs: [job], notices: [], durability: "default" });
  const claimed = await jobs.claim({ queue: "default", clientId: CLIENT_ID, limit: 1, kinds: null, hint: null });
  await prepare();
  const record = await jobs.get({ id: claimed.jobs[0]?.id ?? 0n });
  if (record === null) throw new Error("no job was claimed");
  return record;
}

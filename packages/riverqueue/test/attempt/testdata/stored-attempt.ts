/** One row of the truth tables as an attempt at a stored job: claimed from a real database, aborted, settled, read back. */
import type { TestContext } from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import type { JobsFacet } from "../../../src/driver/jobs-facet.ts";
import { deferred } from "../../../src/kit/deferred.ts";
import type { JobRecord } from "../../../src/model/job-record.ts";
import type { AttemptAbort } from "../../../src/runtime/attempt-abort.ts";
import type { AttemptResult } from "../../../src/runtime/attempt-verdict.ts";
import { AttemptRun } from "../../../src/runtime/attempt-run.ts";
import { eventKindOf } from "../../../src/runtime/settlement-event.ts";
import type { WorkOutcome } from "../../../src/work/outcome.ts";
import { AttemptHarness, CLIENT_ID } from "./attempt-harness.ts";
import type { TruthTableRow } from "./truth-tables.ts";

/** A database that attempts are stored in. */
export interface AttemptDatabase {
  readonly jobs: Pick<JobsFacet<unknown>, "cancel" | "claim" | "get" | "insert" | "settle">;
  /** Sets the attempt number of all jobs. */
  readonly setAttempt: (attempt: number) => Promise<void>;
}

/** A database of the test's own in an SQLite file. */
export async function attemptsOnSqlite(t: TestContext): Promise<AttemptDatabase> {
  const database = (await leaseSqliteDatabase(t)).open();
  const driver = new SqliteDriver(database);
  t.after(() => driver.close());
  return {
    jobs: driver.jobs,
    setAttempt: async (attempt) => void database.prepare("UPDATE river_job SET attempt = ?").run(attempt),
  };
}

/** A database of the test's own on Postgres. */
export async function attemptsOnPostgres(t: TestContext): Promise<AttemptDatabase> {
  const database = await leasePostgresDatabase(t);
  return {
    jobs: new PgDriver(database.pool()).jobs,
    setAttempt: async (attempt) => void (await database.query("UPDATE river_job SET attempt = $1", [attempt])),
  };
}

/** What came of an attempt. */
export interface StoredAttempt {
  readonly before: JobRecord;
  readonly after: JobRecord;
  readonly event: string | null;
  /** Whether the error handler was called. */
  readonly reported: boolean;
  /** When it was settled. */
  readonly now: Temporal.Instant;
}

/** Plays the row. Whoever cancels from outside marks the stored job before the attempt hears of it. */
export async function playStored(
  { jobs, setAttempt }: AttemptDatabase,
  { result, causes = [], attempt: number = 3, maxAttempts = 25, retryIn = 60, handlerCancels = false }: TruthTableRow,
): Promise<StoredAttempt> {
  let reported = false;
  const begun = deferred<void>();
  const aborted = deferred<AttemptAbort>();
  const harness = new AttemptHarness({
    retryPolicy: (_, now) => now.add({ milliseconds: retryIn * 1_000 }),
    errorHandler: () => {
      reported = true;
      return { cancel: handlerCancels };
    },
  });
  harness.handle(async () => {
    begun.resolve();
    return endingOf(result(await aborted.promise));
  });

  const before = await claimOne(jobs, maxAttempts, async () => setAttempt(number));
  const attempt = harness.start(before);
  if (!(attempt instanceof AttemptRun)) throw new TypeError("an attempt of the runner is expected");
  await begun.promise;
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
  const now = harness.clock.now();
  const [settled] = await jobs.settle({ settlements: [end.settlement], wantRows: false }, { now });
  const after = await jobs.get({ id: before.id });
  if (settled === undefined || after === null) throw new Error("the job is gone");
  return { before, after, event: eventKindOf(end, settled), reported, now };
}

function endingOf(result: AttemptResult): WorkOutcome | undefined {
  if (result.type === "threw") throw result.error;
  return result.outcome;
}

async function claimOne(
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
    metadata: "{}",
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

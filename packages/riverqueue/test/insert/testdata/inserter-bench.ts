/** An inserter on a leased SQLite database, with everything a test looks at. */
import type { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { InsertOnlyDriver } from "../../../src/driver/driver.ts";
import type { InsertJobsParams } from "../../../src/driver/insert-jobs.ts";
import { type InsertTransaction, JobInserter, type JobInserterDeps } from "../../../src/insert/job-inserter.ts";
import { NoticeLimiter } from "../../../src/insert/notice-limiter.ts";
import type { Environment } from "../../../src/kit/environment.ts";

/** One call of the driver. */
export type DriverUse =
  | { readonly verb: "insert"; readonly params: InsertJobsParams }
  | { readonly verb: "transaction"; readonly durability: string };

/** See {@link openInserter}. */
export interface InserterBench {
  readonly inserter: JobInserter<DatabaseSync>;
  readonly clock: ManualClock;
  /** A transaction as a leader gives it, which nothing fences here. */
  readonly transact: InsertTransaction;
  /** Calls of the driver so far. */
  readonly uses: DriverUse[];
  /** What the client was told after commits. */
  readonly wakeUps: string[][];
  /** A handle of the application. */
  readonly database: DatabaseSync;
  /** The stored jobs by ID, without what only the database knows. */
  readonly rows: () => Record<string, unknown>[];
  /** Payloads of the notices in the outbox. */
  readonly notices: () => string[];
}

/** Opens one for the duration of a test. */
export async function openInserter(
  t: TestContext,
  options: Partial<Pick<JobInserterDeps<DatabaseSync>, "defaults" | "hooks" | "middleware">> = {},
): Promise<InserterBench> {
  const lease = await leaseSqliteDatabase(t);
  const database = lease.open();
  const driver = new SqliteDriver(database);
  t.after(() => driver.close());
  const clock = new ManualClock();
  const uses: DriverUse[] = [];
  const wakeUps: string[][] = [];
  const inserter = new JobInserter<DatabaseSync>({
    driver: recorded(driver, uses),
    defaults: {},
    hooks: [],
    middleware: [],
    environment: { clock, random: Math.random, databaseNow: null, probe: () => {} } satisfies Environment,
    noticeLimiter: new NoticeLimiter(clock, 100),
    onInserted: (queues) => wakeUps.push([...queues]),
    ...options,
  });
  return {
    inserter,
    clock,
    transact: (body, durability) => driver.transaction(body, { durability }),
    uses,
    wakeUps,
    database,
    rows: () =>
      database
        .prepare("SELECT id, kind, queue, state, priority, max_attempts, json(args) AS args FROM river_job ORDER BY id")
        .all()
        .map((row) => ({ ...row })),
    notices: () =>
      database
        .prepare("SELECT topic, payload FROM river_notification ORDER BY id")
        .all()
        .map(({ topic, payload }) => `${String(topic)} ${String(payload)}`),
  };
}

/** Passes everything on to the driver and notes it. */
function recorded<Tx>(driver: InsertOnlyDriver<Tx>, uses: DriverUse[]): InsertOnlyDriver<Tx> {
  return {
    backend: driver.backend,
    traits: driver.traits,
    canWork: driver.canWork,
    jobs: {
      insert(params, call) {
        uses.push({ verb: "insert", params });
        return driver.jobs.insert(params, call);
      },
    },
    transaction(body, options) {
      uses.push({ verb: "transaction", durability: options.durability });
      return driver.transaction(body, options);
    },
  };
}

/** Operations on a SQLite database of the test's own, with a clock that the test moves. */
import type { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import type { JobToInsert } from "../../../src/driver/insert-jobs.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import { attachEnvironment, environmentOf } from "../../../src/kit/environment.ts";
import { DriverInspectOperations } from "../../../src/operations/driver-inspect-operations.ts";
import { DriverJobOperations } from "../../../src/operations/driver-job-operations.ts";
import { DriverQueueOperations } from "../../../src/operations/driver-queue-operations.ts";

/** See {@link openOperations}. */
export interface SqliteOperations {
  readonly clock: ManualClock;
  readonly database: DatabaseSync;
  readonly driver: SqliteDriver;
  readonly jobs: DriverJobOperations<DatabaseSync>;
  readonly queues: DriverQueueOperations<DatabaseSync>;
  readonly inspect: DriverInspectOperations<DatabaseSync>;
  /** What the calling attempt has recorded as output, as the operations see it. */
  readonly recordedOutputs: Map<bigint, JsonValue>;
  /** Inserts jobs, each an available one of kind `task` but for the given columns; their IDs in order. */
  readonly insert: (...jobs: Partial<JobToInsert>[]) => Promise<bigint[]>;
  /** Claims due jobs of the queue `default`; their IDs in order. */
  readonly claim: (limit: number, clientId?: string) => Promise<bigint[]>;
}

/** Opens a migrated database; everything is closed after the test. */
export async function openOperations(t: TestContext): Promise<SqliteOperations> {
  const leased = await leaseSqliteDatabase(t);
  const clock = new ManualClock();
  const database = leased.open();
  const driver = new SqliteDriver(database);
  t.after(() => driver.close());
  const recordedOutputs = new Map<bigint, JsonValue>();
  const environment = environmentOf(attachEnvironment({}, { clock, databaseNow: () => clock.now() }));
  const context = { driver, environment, recordedOutput: (id: bigint) => recordedOutputs.get(id) };
  return {
    clock,
    database,
    driver,
    jobs: new DriverJobOperations(context),
    queues: new DriverQueueOperations(context),
    inspect: new DriverInspectOperations(context),
    recordedOutputs,
    async insert(...jobs) {
      const params = { jobs: jobs.map(jobToInsert), notices: [], durability: "default" } as const;
      const inserted = await driver.jobs.insert(params, { now: clock.now() });
      return inserted.map(({ job }) => job.id);
    },
    async claim(limit, clientId = "tester") {
      const params = { queue: "default", clientId, limit, kinds: null, hint: null };
      const { jobs } = await driver.jobs.claim(params, { now: clock.now() });
      return jobs.map(({ id }) => id).toSorted((a, b) => Number(a - b));
    },
  };
}

function jobToInsert(columns: Partial<JobToInsert>): JobToInsert {
  return {
    kind: "task",
    queue: "default",
    state: "available",
    priority: 1,
    maxAttempts: 25,
    args: "{}",
    metadata: "{}",
    tags: [],
    scheduledAt: null,
    uniqueKey: null,
    uniqueStates: null,
    ...columns,
  };
}

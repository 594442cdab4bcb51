/** Attempts at jobs of a SQLite database, whose ends the test writes itself. */
import type { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import type { SettledJob } from "../../../src/driver/settle-jobs.ts";
import type { JobRecord } from "../../../src/model/job-record.ts";
import type { AttemptEnd } from "../../../src/runtime/attempt-end.ts";
import type { WorkHandler } from "../../../src/work/work-handler.ts";
import type { WorkerOptions } from "../../../src/work/worker-options.ts";
import { AttemptHarness, CLIENT_ID, type sample } from "./attempt-harness.ts";

/** See {@link openAttempts}. */
export class SqliteAttempts {
  readonly database: DatabaseSync;
  readonly #driver: SqliteDriver;

  constructor(database: DatabaseSync, driver: SqliteDriver) {
    this.database = database;
    this.#driver = driver;
  }

  /** Inserts a job of the kind `sample`. */
  async insert(metadata: string = "{}"): Promise<bigint> {
    const job = {
      kind: "sample",
      queue: "default",
      state: "available",
      priority: 1,
      maxAttempts: 25,
      args: "{}",
      metadata,
      tags: [],
      scheduledAt: null,
      uniqueKey: null,
      uniqueStates: null,
    } as const;
    const [inserted] = await this.#driver.jobs.insert({ jobs: [job], notices: [], durability: "default" });
    return inserted?.job.id ?? 0n;
  }

  /** Claims the one due job. */
  async claim(clientId: string = CLIENT_ID): Promise<JobRecord> {
    const { jobs } = await this.#driver.jobs.claim({ queue: "default", clientId, limit: 1, kinds: null, hint: null });
    if (jobs[0] === undefined) throw new Error("no job is due");
    return jobs[0];
  }

  /** Claims the one due job and runs an attempt at it. */
  async run(
    handler: WorkHandler<typeof sample>,
    options?: WorkerOptions<typeof sample>,
  ): Promise<AttemptEnd> {
    const harness = new AttemptHarness({ facets: this.#driver });
    harness.handle(handler, options);
    return harness.run(await this.claim());
  }

  /** Writes the end of an attempt. */
  async settle({ settlement }: AttemptEnd): Promise<SettledJob | undefined> {
    return (await this.#driver.jobs.settle({ settlements: [settlement], wantRows: true }))[0];
  }

  get(id: bigint): Promise<JobRecord | null> {
    return this.#driver.jobs.get({ id });
  }
}

/** Opens a migrated database of the test's own; everything is closed after the test. */
export async function openAttempts(t: TestContext): Promise<SqliteAttempts> {
  const database = (await leaseSqliteDatabase(t)).open();
  const driver = new SqliteDriver(database);
  t.after(() => driver.close());
  return new SqliteAttempts(database, driver);
}

/** The SQLite driver: opens the private connection and hands out the facets that work on it. */
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import {
  ConfigurationError,
  LifecycleError,
  type DriverFacets,
  type DriverSession,
  type DriverTraits,
  type DriverTransactionOptions,
  type MigrationFacet,
  type RuntimeDriver,
  type OwnScope,
  type SessionNeeds,
} from "riverqueue/driver";
import { locationOf, newMemoryDatabase, openHandle, type DatabaseLocation } from "./connection/database-location.ts";
import { PrivateConnection } from "./connection/private-connection.ts";
import { translateFailure } from "./connection/sqlite-failure.ts";
import { assertSqliteVersion } from "./connection/sqlite-version.ts";
import { resolveDriverOptions, type SqliteDriverOptions } from "./driver-options.ts";
import { SqliteExtension } from "./facets/extension-facet.ts";
import { SqliteIndexes } from "./facets/indexes-facet.ts";
import { SqliteInspect } from "./facets/inspect-facet.ts";
import { SqliteJobs } from "./facets/jobs-facet.ts";
import { SqliteLeader } from "./facets/leader-facet.ts";
import { SqliteMigrations } from "./facets/migration-facet.ts";
import { SqliteNotices } from "./facets/notices-facet.ts";
import { SqliteQueues } from "./facets/queues-facet.ts";
import { InsertCoalescer } from "./jobs/insert-coalescer.ts";
import { OutboxPoll } from "./outbox/outbox-poll.ts";
import { UnitRunner } from "./scope/unit-runner.ts";
import { EXISTING_TABLES } from "./sql/schema/existing-tables.ts";

const TRAITS: DriverTraits = Object.freeze({
  listens: true,
  singleWriter: true,
  schemas: false,
  timePrecision: "milliseconds",
  outbox: true,
});

const TABLES = ["river_job", "river_leader", "river_notification", "river_queue"];

/**
 * River's driver for SQLite on `node:sqlite`.
 *
 * It works on a private connection to the file of the handle it is given, in WAL mode and without a blocking busy
 * timeout; the handle itself is never used or closed. Transactions of the application take part through `{ tx }`, which
 * is any `DatabaseSync` on the same database with a transaction open; see {@link transaction}.
 *
 * @example
 * ```ts
 * const database = new DatabaseSync("app.db");
 * using driver = new SqliteDriver(database);
 * const client = new Client(driver);
 * ```
 */
export class SqliteDriver implements RuntimeDriver<DatabaseSync>, Disposable {
  readonly backend = "sqlite";
  readonly traits: DriverTraits = TRAITS;
  readonly canWork = true;
  readonly jobs: DriverFacets<DatabaseSync>["jobs"];
  readonly queues: DriverFacets<DatabaseSync>["queues"];
  readonly leader: DriverFacets<DatabaseSync>["leader"];
  readonly notices: DriverFacets<DatabaseSync>["notices"];
  readonly indexes: DriverFacets<DatabaseSync>["indexes"];
  readonly inspect: DriverFacets<DatabaseSync>["inspect"];
  readonly extension: DriverFacets<DatabaseSync>["extension"];
  readonly migrations: MigrationFacet;
  readonly #location: DatabaseLocation;
  readonly #busyTimeoutMs: number;
  readonly #connection: PrivateConnection;
  readonly #poll: OutboxPoll;
  readonly #inserts: InsertCoalescer;
  #sessions = 0;

  /**
   * @param database - an open handle on a database file; it only names the file.
   * @param options - see {@link SqliteDriverOptions}.
   * @throws ConfigurationError for a closed handle, a memory or temporary database, or wrong options.
   */
  constructor(database: DatabaseSync, options?: SqliteDriverOptions) {
    const { busyTimeoutMs } = resolveDriverOptions(options);
    assertSqliteVersion();
    this.#location = locateDatabase(database);
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#connection = openConnection(this.#location);
    this.#poll = new OutboxPoll(this.#connection);
    this.#inserts = new InsertCoalescer(this.#runner(true));
    const facets = this.#facets(false);
    this.jobs = facets.jobs;
    this.queues = facets.queues;
    this.leader = facets.leader;
    this.notices = facets.notices;
    this.indexes = facets.indexes;
    this.inspect = facets.inspect;
    this.extension = facets.extension;
    this.migrations = new SqliteMigrations(() => this.connect(), busyTimeoutMs);
  }

  /**
   * A driver on a new, empty memory database, for tests and scratch work. It lives until the driver and every handle
   * from {@link connect} are closed. It has no WAL: a read that meets a writer is busy.
   *
   * @throws ConfigurationError for wrong options.
   */
  static memory(options?: SqliteDriverOptions): SqliteDriver {
    const anchor = openHandle(newMemoryDatabase(), {});
    try {
      return new SqliteDriver(anchor, options);
    } finally {
      anchor.close();
    }
  }

  /**
   * Opens a further handle on the driver's database for the application, which closes it.
   *
   * @param options - options of Node; `timeout` (milliseconds of blocking while locked) is 0 unless given.
   * @throws ConfigurationError for options that are no object; LifecycleError once the driver is closed.
   */
  connect(options: DatabaseSyncOptions = {}): DatabaseSync {
    if (typeof options !== "object" || options === null || Array.isArray(options)) {
      throw new ConfigurationError("options: expected an object");
    }
    this.#connection.assertOpen();
    try {
      return openHandle(this.#location, { timeout: 0, ...options });
    } catch (error) {
      throw translateFailure(error, "connect");
    }
  }

  /**
   * Closes the private connection; handles of the application stay open. A second call does nothing.
   *
   * @throws LifecycleError while a client of this driver is running.
   */
  close(): void {
    if (this.#sessions > 0) throw new LifecycleError("the driver is in use: stop every client of it before close()");
    this.#connection.close();
  }

  /** The same as {@link close}. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Runs `body` in a transaction of River's; see the essay on locking in the documentation. */
  transaction<T>(
    body: (scope: OwnScope) => Promise<T>,
    { durability, timeoutMs }: DriverTransactionOptions,
  ): Promise<T> {
    return this.#runner(false).transaction(body, { durability, timeoutMs });
  }

  /**
   * Checks that River's tables exist and gives a runtime its facets. Whatever it needs, they work on the one private
   * connection.
   *
   * @throws ConfigurationError when tables are missing.
   */
  async openSession(_needs: SessionNeeds): Promise<DriverSession<DatabaseSync>> {
    await this.#requireTables();
    this.#sessions += 1;
    let open = true;
    const close = (): Promise<void> => {
      if (open) this.#sessions -= 1;
      open = false;
      return Promise.resolve();
    };
    return { ...this.#facets(true), close };
  }

  async #requireTables(): Promise<void> {
    const runner = this.#runner(true);
    const missing = await runner.read("openSession", undefined, ({ connection }) => {
      const found = new Set(connection.rows(EXISTING_TABLES, JSON.stringify(TABLES)).map(([name]) => name));
      return TABLES.filter((name) => !found.has(name));
    });
    if (missing.length === 0) return;
    throw new ConfigurationError(
      `the database lacks ${missing.join(", ")}: run riverqueue migrate-up, or createMigrator(…).migrateUp()`,
    );
  }

  #facets(background: boolean): DriverFacets<DatabaseSync> {
    const runner = this.#runner(background);
    return {
      jobs: new SqliteJobs(runner, this.#inserts),
      queues: new SqliteQueues(runner),
      leader: new SqliteLeader(runner),
      notices: new SqliteNotices(runner, this.#poll),
      indexes: new SqliteIndexes(runner),
      inspect: new SqliteInspect(runner),
      extension: new SqliteExtension(runner),
    };
  }

  #runner(background: boolean): UnitRunner {
    return new UnitRunner(this.#connection, {
      background,
      busyTimeoutMs: this.#busyTimeoutMs,
      onNoticesCommitted: () => this.#poll.wake(),
    });
  }
}

function locateDatabase(database: unknown): DatabaseLocation {
  if (!(database instanceof DatabaseSync)) {
    throw new ConfigurationError("database: expected a DatabaseSync of node:sqlite");
  }
  if (!database.isOpen) throw new ConfigurationError("database: expected an open DatabaseSync, this one is closed");
  const location = locationOf(database);
  if (location.path !== null) return location;
  throw new ConfigurationError(
    "database: a memory or temporary database belongs to its one connection; use SqliteDriver.memory()",
  );
}

function openConnection(location: DatabaseLocation): PrivateConnection {
  try {
    return new PrivateConnection(location);
  } catch (error) {
    throw translateFailure(error, "open");
  }
}

/** What a driver package tells the suite about its database. The suite itself knows no dialect and no driver. */
import type { TestContext } from "node:test";
import type { RuntimeDriver, Scope } from "riverqueue/driver";

/** A database that the suite is registered for. */
export interface BackendUnderTest {
  /** Stands before the title of every test. */
  readonly name: string;
  /** Why nothing can be tested on this machine; false when it can. */
  readonly missing: string | false;
  /** Titles of tests that are left out, each with the reason. A title that names no test fails the suite. */
  readonly skips: Readonly<Record<string, string>>;
  /** A driver on a fresh, migrated database of its own. Everything is given back after the test. */
  open(t: TestContext): Promise<DriverUnderTest>;
}

/** One driver and the ways around it. */
export interface DriverUnderTest {
  readonly driver: RuntimeDriver<unknown>;
  readonly raw: RawDatabase;
  /** Begins a transaction of the application's, on a connection that the driver does not use. */
  begin(): Promise<OpenTransaction>;
  /** Makes every read of many jobs take longer than a limit. */
  blockReads(): Promise<BlockedReads>;
  /** A driver of the same kind on another database. */
  openStranger(): Promise<RuntimeDriver<unknown>>;
  /** Handles that no verb may take for a transaction. */
  unusableHandles(): Promise<readonly UnusableHandle[]>;
}

/** A transaction of the application's; exactly one of the two is called, once. */
export interface OpenTransaction {
  readonly scope: Scope<unknown>;
  /** Locks the rows of a table that meet a condition until the end. */
  readonly lockRows: (table: "river_job" | "river_notification" | "river_queue", condition: string) => Promise<void>;
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
}

/** See {@link DriverUnderTest.blockReads}. */
export interface BlockedReads {
  /** The limit, in milliseconds. */
  readonly timeoutMs: number;
  readonly release: () => Promise<void>;
}

/** Statements past the driver, in the dialect of the database. */
export interface RawDatabase {
  /** Runs one statement without parameters; rows by column name. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** A literal for a time. */
  time(instant: Temporal.Instant): string;
  /** A literal for JSON as it is stored. */
  json(text: string): string;
  /** A literal for the list of clients or tags of a job. */
  texts(values: readonly string[]): string;
  /** How a statement names its parameter at `position`, counted from 1. */
  readonly placeholder: (position: number) => string;
  /** Name of the type of byte arrays. */
  readonly bytesType: string;
  /** Values that a column of `river_job` takes and that no driver can make sense of. */
  readonly damages: readonly Damage[];
  /** Such values of columns of `river_queue`. */
  readonly queueDamages: readonly QueueDamage[];
  /** Makes a trigger that refuses an event of rows of a table for which `condition`, on `OLD`, holds. */
  refuse(table: "river_job" | "river_queue", event: "DELETE" | "UPDATE", condition: string): Promise<void>;
}

/** A value that somebody else may have written. */
export interface Damage {
  readonly column: "args" | "attempted_by" | "created_at" | "errors" | "metadata" | "tags";
  readonly what: string;
  /** SQL expression. */
  readonly value: string;
}

/** The same for a queue. */
export interface QueueDamage {
  readonly column: "created_at" | "metadata" | "paused_at" | "updated_at";
  readonly what: string;
  /** SQL expression. */
  readonly value: string;
}

/** See {@link DriverUnderTest.unusableHandles}. */
export interface UnusableHandle {
  readonly what: string;
  readonly tx: unknown;
  /** Code of the error. */
  readonly code: "backend_mismatch" | "transaction_scope";
}

/**
 * The seam between the core and a database. A driver turns every database error into one of the core's error classes
 * with a literal `code` and `retryable`; nobody above reads message text.
 */
import type { OwnScope } from "./call.ts";
import type { ExtensionFacet } from "./extension-facet.ts";
import type { IndexesFacet } from "./indexes-facet.ts";
import type { InsertJobsParams } from "./insert-jobs.ts";
import type { InspectFacet } from "./inspect-facet.ts";
import type { JobsFacet } from "./jobs-facet.ts";
import type { LeaderFacet } from "./leader-facet.ts";
import type { MigrationFacet } from "./migration-facet.ts";
import type { NoticesFacet } from "./notices-facet.ts";
import type { QueuesFacet } from "./queues-facet.ts";
import type { Backend, DriverTraits } from "./traits.ts";

/** The verbs that work on one database, grouped by noun. */
export interface DriverFacets<Tx> {
  readonly jobs: JobsFacet<Tx>;
  readonly queues: QueuesFacet<Tx>;
  readonly leader: LeaderFacet<Tx>;
  readonly notices: NoticesFacet<Tx>;
  readonly indexes: IndexesFacet;
  readonly inspect: InspectFacet;
  readonly extension: ExtensionFacet<Tx>;
}

/** Options of a transaction that the driver opens. */
export interface DriverTransactionOptions {
  readonly durability: InsertJobsParams["durability"];
  /**
   * Milliseconds after which it is rolled back and rejects with a retryable `DatabaseOperationError`.
   *
   * @addition
   */
  readonly timeoutMs?: number | undefined;
}

/** What every driver can do, insert-only ones included. */
export interface InsertOnlyDriver<Tx> {
  readonly backend: Backend;
  readonly traits: DriverTraits;
  /** False: the driver inserts only, `RuntimeDriver` members are absent. */
  readonly canWork: boolean;
  readonly jobs: Pick<JobsFacet<Tx>, "insert">;
  /**
   * Runs `body` in a transaction of River's, committed when it resolves, rolled back when it rejects. The scope is
   * valid until then.
   */
  transaction<T>(body: (scope: OwnScope) => Promise<T>, options: DriverTransactionOptions): Promise<T>;
}

/** Which services a runtime needs connections for. */
export interface SessionNeeds {
  /** A notice stream. */
  readonly listens: boolean;
  /** Election and maintenance. */
  readonly leads: boolean;
}

/** How a runtime shares the application's pool of connections. */
export interface SessionConnections {
  /** Connections that it keeps for itself. */
  readonly kept: number;
  /** What they and those of other runtimes leave for handlers and insertions; null when the pool names no maximum. */
  readonly left: number | null;
}

/** Facets bound to connections that one runtime keeps for itself from start to stop. */
export interface DriverSession<Tx> extends DriverFacets<Tx> {
  /** Absent when the driver takes its connections from no pool. */
  readonly connections?: SessionConnections;
  /** Gives the connections back. Never rejects; a second call does nothing. */
  close(): Promise<void>;
}

/** A driver that can work jobs. */
export interface RuntimeDriver<Tx> extends InsertOnlyDriver<Tx>, DriverFacets<Tx> {
  readonly canWork: true;
  readonly jobs: JobsFacet<Tx>;
  readonly migrations: MigrationFacet;
  /**
   * Checks that the database answers and holds River's tables, and takes the connections a runtime needs.
   *
   * @throws ConfigurationError when the pool is too small or the tables are missing; DatabaseOperationError otherwise.
   */
  openSession(needs: SessionNeeds): Promise<DriverSession<Tx>>;
}

/** Any driver a client accepts. */
export type ClientDriver<Tx> = InsertOnlyDriver<Tx> | RuntimeDriver<Tx>;

/** The Postgres driver: hands out the facets, on the application's pool or on connections that a runtime keeps. */
import {
  ConfigurationError,
  type DriverFacets,
  type DriverSession,
  type DriverTraits,
  type DriverTransactionOptions,
  type MigrationFacet,
  type RuntimeDriver,
  type OwnScope,
  type SessionNeeds,
} from "riverqueue/driver";
import { ClientLender } from "./connection/client-lender.ts";
import { poolSource } from "./connection/client-source.ts";
import { OneAtATime } from "./connection/lane-lender.ts";
import { isPool, type PgClient, type PgPool, type PgTransaction } from "./connection/pg-shapes.ts";
import { PoolLender } from "./connection/pool-lender.ts";
import { PrepareMode } from "./connection/prepare-mode.ts";
import { ServerFacts } from "./connection/server-facts.ts";
import { surviveIdleErrors } from "./connection/survive-idle-errors.ts";
import { resolveDriverOptions, type PgDriverOptions } from "./driver-options.ts";
import { PgExtension } from "./facets/extension-facet.ts";
import { PgIndexes } from "./facets/indexes-facet.ts";
import { PgInspect } from "./facets/inspect-facet.ts";
import { PgJobs } from "./facets/jobs-facet.ts";
import { PgLeader } from "./facets/leader-facet.ts";
import { PgMigrations } from "./facets/migration-facet.ts";
import { PgNotices } from "./facets/notices-facet.ts";
import { PgQueues } from "./facets/queues-facet.ts";
import { PgRunner, type RunnerContext } from "./scope/pg-runner.ts";
import type { Runners } from "./scope/runners.ts";
import { Listener } from "./session/listener.ts";
import { openPgSession } from "./session/pg-session.ts";

/** How long until a connection of a runtime can be used: longer than a server takes to start, in milliseconds. */
const READY_MS = 30_000;

/**
 * River's driver for Postgres 15 and newer, on `pg`.
 *
 * The pool is the application's and is never ended. A client that works jobs keeps some of its connections from start to
 * stop; everything else takes one for each statement. Transactions of the application take part through `{ tx }`: the
 * connection of `pg` on which one is open, or anything else with a method `query(text, values)`.
 *
 * A driver on a single client inserts only with `{ tx }` and works no jobs.
 *
 * @example
 * ```ts
 * const driver = new PgDriver(new Pool({ connectionString: "postgres://localhost/app" }));
 * const client = new Client(driver);
 * ```
 */
export class PgDriver implements RuntimeDriver<PgTransaction> {
  readonly backend = "postgres";
  readonly canWork = true;
  readonly jobs: DriverFacets<PgTransaction>["jobs"];
  readonly queues: DriverFacets<PgTransaction>["queues"];
  readonly leader: DriverFacets<PgTransaction>["leader"];
  readonly notices: DriverFacets<PgTransaction>["notices"];
  readonly indexes: DriverFacets<PgTransaction>["indexes"];
  readonly inspect: DriverFacets<PgTransaction>["inspect"];
  readonly extension: DriverFacets<PgTransaction>["extension"];
  readonly migrations: MigrationFacet;
  readonly #pool: PgPool | null;
  readonly #facts: ServerFacts;
  readonly #context: RunnerContext;
  readonly #runner: PgRunner;

  /**
   * @param source - a `Pool` of `pg`, or one connected `Client`.
   * @param options - see {@link PgDriverOptions}.
   * @throws ConfigurationError for something else, or wrong options.
   */
  constructor(source: PgPool | PgClient, options?: PgDriverOptions) {
    const { schema, prepare, server } = resolveDriverOptions(options);
    assertSource(source);
    this.#pool = isPool(source) ? source : null;
    if (this.#pool !== null) surviveIdleErrors(this.#pool);
    this.#facts = new ServerFacts(schema, server);
    this.#context = {
      prepare: new PrepareMode(prepare),
      dialect: this.#facts.dialect,
      textualDialect: this.#facts.textualDialect,
      prepareDriver: this.#facts.learn,
      readyMs: READY_MS,
      singleClient: this.#pool === null,
    };
    const lender = isPool(source)
      ? new PoolLender(source, this.#context)
      : new OneAtATime(new ClientLender(source, this.#context));
    this.#runner = new PgRunner(lender, this.#context);
    const runner = this.#runner;
    const runners = { control: runner, work: runner, maintenance: runner };
    const facets = this.#facets(
      runners,
      this.#pool === null ? null : new Listener(poolSource(this.#pool), this.#context),
    );
    this.jobs = facets.jobs;
    this.queues = facets.queues;
    this.leader = facets.leader;
    this.notices = facets.notices;
    this.indexes = facets.indexes;
    this.inspect = facets.inspect;
    this.extension = facets.extension;
    this.migrations = new PgMigrations(lender, schema);
  }

  /** `listens` turns false once it is known that the server cannot, or that a pooler is in the way. */
  get traits(): DriverTraits {
    return Object.freeze({
      listens: this.#facts.notifies && !this.#context.prepare.shares,
      singleWriter: false,
      schemas: true,
      timePrecision: "microseconds",
      outbox: false,
    });
  }

  /**
   * Runs `body` in a transaction of River's, which takes a connection for its first statement.
   *
   * @throws TransactionScopeError `no_transaction` when the driver has a single client.
   */
  transaction<T>(
    body: (scope: OwnScope) => Promise<T>,
    { durability, timeoutMs }: DriverTransactionOptions,
  ): Promise<T> {
    return this.#runner.transaction(body, { relaxed: durability === "relaxed", timeoutMs });
  }

  /**
   * Takes the connections that a runtime keeps: one to listen unless it only polls, one for control, two for claims,
   * completions, maintenance and the insertion of periodic jobs.
   *
   * @throws ConfigurationError when the pool is too small, tables are missing, or the driver has a single client.
   */
  async openSession(needs: SessionNeeds): Promise<DriverSession<PgTransaction>> {
    if (this.#pool === null)
      throw new ConfigurationError("a driver on a single client works no jobs: make it with a pool");
    return openPgSession(this.#pool, this.#context, needs, (runners, listener) => this.#facets(runners, listener));
  }

  #facets(runners: Runners, listener: Listener | null): DriverFacets<PgTransaction> {
    return {
      jobs: new PgJobs(runners),
      queues: new PgQueues(runners),
      leader: new PgLeader(runners),
      notices: new PgNotices(runners, listener?.listen ?? refuseToListen),
      indexes: new PgIndexes(runners),
      inspect: new PgInspect(runners),
      extension: new PgExtension(runners, this.#facts.dialect),
    };
  }
}

function refuseToListen(): Promise<never> {
  return Promise.reject(new ConfigurationError("a driver on a single client cannot listen: make it with a pool"));
}

function assertSource(source: unknown): void {
  if (typeof source === "object" && source !== null) {
    if (isPool(source)) return;
    const { query, on } = source as { readonly query?: unknown; readonly on?: unknown };
    if (typeof query === "function" && typeof on === "function") return;
  }
  throw new ConfigurationError("pool: expected a Pool or a connected Client of pg");
}

/** The client: a thin face over the rooms behind it. It checks and wires; it decides nothing about jobs. */
import type { Client as ClientInterface, InsertClient } from "../api/client.ts";
import type { EventSubscription, SubscribedEvent, SubscribeOptions } from "../api/event-subscription.ts";
import type { InspectOperations } from "../api/inspect-operations.ts";
import type { JobOperations } from "../api/job-operations.ts";
import type { PeriodicJobs } from "../api/periodic-jobs.ts";
import type { QueueOperations } from "../api/queue-operations.ts";
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { RunHandle } from "../api/run-handle.ts";
import type { InsertOptions } from "../definition/insert-options.ts";
import type { JobDefinition, JobDefinitionInput } from "../definition/job-definition.ts";
import type { ClientDriver, InsertOnlyDriver, RuntimeDriver } from "../driver/driver.ts";
import type { CheckedInsertManyItems, InsertManyItem, InsertManyResults } from "../insert/insert-many.ts";
import type { InsertResult } from "../insert/insert-result.ts";
import { JobInserter } from "../insert/job-inserter.ts";
import { NoticeLimiter } from "../insert/notice-limiter.ts";
import type { TransactionOptions } from "../insert/transaction-options.ts";
import { environmentOf } from "../kit/environment.ts";
import { assertRuntimeSupport } from "../kit/runtime-support.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { LifecycleError } from "../model/errors/lifecycle-error.ts";
import type { RiverEventKind } from "../model/river-event.ts";
import { DriverInspectOperations } from "../operations/driver-inspect-operations.ts";
import { DriverJobOperations } from "../operations/driver-job-operations.ts";
import { DriverQueueOperations } from "../operations/driver-queue-operations.ts";
import { type OperationsContext, runtimeDriverOf } from "../operations/operations-context.ts";
import { PeriodicJobRegistry } from "../periodic/periodic-job-registry.ts";
import { EventHub } from "../runtime/event-hub.ts";
import type { RuntimeController } from "../runtime/runtime-controller.ts";
import { recordedOutputOf } from "../work/current-work-context.ts";
import type { ClientCore } from "./client-core.ts";
import type { ClientOptions } from "./client-options.ts";
import { RiverRunHandle } from "./river-run-handle.ts";
import { requestResignation } from "./request-resignation.ts";
import { type ClientSettings, resolveClientOptions } from "./resolve-client-options.ts";
import { startRuntime } from "./start-runtime.ts";

/** How clients are constructed; the driver decides which kind it is. */
export interface ClientConstructor {
  /**
   * Makes a client on a driver that works jobs.
   *
   * @throws ConfigurationError naming everything wrong with the options, or the feature that this platform lacks.
   */
  new <Tx>(driver: RuntimeDriver<Tx>, options?: ClientOptions<Tx>): ClientInterface<Tx>;
  /** Makes a client on a driver that inserts only. */
  new <Tx>(driver: InsertOnlyDriver<Tx>, options?: ClientOptions<Tx>): InsertClient<Tx>;
}

class RiverClient<Tx = RegisteredTransaction> implements ClientInterface<Tx> {
  readonly inspect: InspectOperations;
  readonly jobs: JobOperations<Tx>;
  readonly periodicJobs: PeriodicJobs;
  readonly queues: QueueOperations<Tx>;
  readonly #core: ClientCore<Tx>;
  readonly #operations: OperationsContext<Tx>;
  #runtime: Promise<RuntimeController<Tx>> | null = null;
  #controller: RuntimeController<Tx> | null = null;

  constructor(driver: ClientDriver<Tx>, options: ClientOptions<Tx> = {}) {
    assertRuntimeSupport();
    const environment = environmentOf(options);
    const settings = resolveClientOptions<Tx>(options, environment);
    requireDriver(driver, settings.runtime.queues.size > 0);
    const { extensions, logger } = settings;
    const limiter = new NoticeLimiter(environment.clock, settings.runtime.fetchCooldownMs);
    const inserter = new JobInserter<Tx>({
      driver,
      defaults: settings.defaultInsertOptions,
      middleware: extensions.insertMiddleware,
      hooks: [
        ...extensions.beforeInsert.map((beforeInsert) => ({ beforeInsert })),
        ...extensions.afterInsert.map((afterInsert) => ({ afterInsert })),
      ],
      environment,
      noticeLimiter: limiter,
      onInserted: (queues) => this.#wake(queues),
      onWritten: (results) => countInserted(this.#core.hub, results),
    });
    const registry = makeRegistry(settings, () => environment.clock.now());
    const hub = new EventHub({ extensions, environment, logger });
    this.#core = { client: this, driver, settings, environment, limiter, inserter, registry, hub };
    this.#operations = { driver, environment, recordedOutput: (id) => recordedOutputOf(this, id) };
    this.jobs = new DriverJobOperations(this.#operations);
    this.queues = new DriverQueueOperations(this.#operations);
    this.inspect = new DriverInspectOperations(this.#operations);
    this.periodicJobs = registry;
  }

  get clientId(): string {
    return this.#core.settings.runtime.clientId;
  }

  insert<Definition extends JobDefinition>(
    definition: Definition,
    args: JobDefinitionInput<Definition>,
    options?: InsertOptions & TransactionOptions<Tx>,
  ): Promise<InsertResult<JobDefinitionInput<Definition>>> {
    return this.#core.inserter.insert(definition, args, options);
  }

  insertMany<Items extends readonly [] | readonly InsertManyItem[]>(
    items: CheckedInsertManyItems<Items> & Items,
    options?: TransactionOptions<Tx>,
  ): Promise<InsertManyResults<Items>> {
    return this.#core.inserter.insertMany<Items>(items, options);
  }

  subscribe<const Kind extends RiverEventKind = RiverEventKind>(
    options?: SubscribeOptions<Kind>,
  ): EventSubscription<SubscribedEvent<Kind>> {
    return this.#core.hub.subscribe(options);
  }

  requestLeadershipResignation(options?: TransactionOptions<Tx>): Promise<void> {
    return requestResignation(this.#operations, options);
  }

  async start(): Promise<RunHandle> {
    const driver = runtimeDriverOf(this.#operations, "working jobs");
    if (this.#runtime) throw new LifecycleError("this client has been started already; make a new one to start again");
    this.#runtime = startRuntime(this.#core, driver);
    try {
      this.#controller = await this.#runtime;
    } catch (error) {
      this.#runtime = null;
      throw error;
    }
    return new RiverRunHandle(this.#controller, () => this.requestLeadershipResignation());
  }

  #wake(queues: Iterable<string>): void {
    for (const queue of queues) this.#controller?.wake(queue);
  }
}

function makeRegistry<Tx>(settings: ClientSettings<Tx>, now: () => Temporal.Instant): PeriodicJobRegistry {
  const { logger, runtime, periodicJobs } = settings;
  const { leaderElectionDisabled } = runtime;
  return new PeriodicJobRegistry(periodicJobs, { leaderElectionDisabled, logger, now });
}

function countInserted({ tally }: EventHub, results: readonly InsertResult[]): void {
  tally?.inserted(results.flatMap(({ job, status }) => (status === "inserted" ? [job] : [])));
}

function requireDriver<Tx>(driver: ClientDriver<Tx>, worksQueues: boolean): void {
  const isDriver = typeof driver === "object" && driver !== null && typeof driver.transaction === "function";
  if (!isDriver) throw new ConfigurationError("driver must be a River driver, such as new SqliteDriver(database)");
  if (worksQueues && !driver.canWork) throw new ConfigurationError("queues must be left out: this driver only inserts");
}

/** A client that inserts and works jobs, as the constructor of the same name makes it. */
export type Client<Tx = RegisteredTransaction> = ClientInterface<Tx>;

/** Inserts jobs, reads and changes them, and works them once started. See {@link ClientConstructor}. */
export const Client: ClientConstructor = RiverClient;

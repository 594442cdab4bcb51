/** What a client offers. The class behind it is in the client room; everything below it sees this interface only. */
import type { InsertOptions } from "../definition/insert-options.ts";
import type { JobDefinition, JobDefinitionInput } from "../definition/job-definition.ts";
import type { CheckedInsertManyItems, InsertManyItem, InsertManyResults } from "../insert/insert-many.ts";
import type { InsertResult } from "../insert/insert-result.ts";
import type { TransactionOptions } from "../insert/transaction-options.ts";
import type { RiverEventKind } from "../model/river-event.ts";
import type { EventSubscription, SubscribedEvent, SubscribeOptions } from "./event-subscription.ts";
import type { InspectOperations } from "./inspect-operations.ts";
import type { JobOperations } from "./job-operations.ts";
import type { PeriodicJobs } from "./periodic-jobs.ts";
import type { QueueOperations } from "./queue-operations.ts";
import type { RegisteredTransaction } from "./registered-transaction.ts";
import type { RunHandle } from "./run-handle.ts";

/** A client that can only insert. */
export interface InsertClient<Tx = RegisteredTransaction> {
  readonly clientId: string;
  /**
   * Inserts one job. Without `{ tx }` it is one transaction of River's, hooks and middleware included.
   *
   * @throws ValidationError, PayloadValidationError or JsonValueError before anything is written; DatabaseOperationError
   *   when the database fails.
   */
  insert<Definition extends JobDefinition>(
    definition: Definition,
    args: JobDefinitionInput<Definition>,
    options?: InsertOptions & TransactionOptions<Tx>,
  ): Promise<InsertResult<JobDefinitionInput<Definition>>>;
  /** Inserts all items or none; results in order. An empty list makes no database call. Throws as `insert`. */
  insertMany<Items extends readonly [] | readonly InsertManyItem[]>(
    items: CheckedInsertManyItems<Items> & Items,
    options?: TransactionOptions<Tx>,
  ): Promise<InsertManyResults<Items>>;
}

/** A client that inserts and works jobs. */
export interface Client<Tx = RegisteredTransaction> extends InsertClient<Tx> {
  /**
   * Figures for dashboards and probes.
   *
   * @addition
   */
  readonly inspect: InspectOperations;
  readonly jobs: JobOperations<Tx>;
  readonly periodicJobs: PeriodicJobs;
  readonly queues: QueueOperations<Tx>;
  /** Opens a stream of this client's events; also before `start`. */
  subscribe<const Kind extends RiverEventKind = RiverEventKind>(
    options?: SubscribeOptions<Kind>,
  ): EventSubscription<SubscribedEvent<Kind>>;
  /** Asks the leader of this database and schema, whoever it is, to resign; with `{ tx }` when that commits. */
  requestLeadershipResignation(options?: TransactionOptions<Tx>): Promise<void>;
  /**
   * Starts working jobs; resolves once the runtime listens and its queues run.
   *
   * @throws ConfigurationError without queues or workers, or for a pool that is too small; LifecycleError on a second
   *   start; DatabaseOperationError when the database cannot be reached or listened on. Nothing is left running then,
   *   no job has been claimed, and `start` may be called again.
   */
  start(): Promise<RunHandle>;
}

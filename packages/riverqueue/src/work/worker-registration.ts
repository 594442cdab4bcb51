/** What a `Workers` holds for each kind. */
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import type { WorkExecutorTarget } from "./work-executor.ts";
import type { WorkHandler, WorkHandlerFactory } from "./work-handler.ts";
import type { NormalizedWorkerOptions } from "./worker-options.ts";

/** A worker whose handler runs in the client's own event loop. */
export interface InProcessWorkerRegistration<Tx = RegisteredTransaction> {
  readonly type: "in_process";
  readonly definition: JobDefinition;
  /** The handler, or what makes one for each attempt; nothing is known about its job here. */
  readonly handler: WorkHandler<JobDefinition, Tx> | WorkHandlerFactory<JobDefinition, Tx>;
  readonly options: NormalizedWorkerOptions<Tx>;
}

/** A worker whose handler an executor runs. */
export interface ExecutorWorkerRegistration<Tx = RegisteredTransaction> {
  readonly type: "executor";
  readonly definition: JobDefinition;
  readonly target: WorkExecutorTarget;
  readonly options: NormalizedWorkerOptions<Tx>;
}

/** Any worker, told apart by `type`. */
export type WorkerRegistration<Tx = RegisteredTransaction> =
  | ExecutorWorkerRegistration<Tx>
  | InProcessWorkerRegistration<Tx>;

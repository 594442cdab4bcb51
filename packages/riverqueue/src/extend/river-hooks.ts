/** Hooks and plugins of a whole client. */
import type { PeriodicJobsStartParams } from "../api/periodic-jobs.ts";
import type { RegisteredTransaction } from "../api/registered-transaction.ts";
import type { InsertHooks, InsertMiddleware } from "../insert/insert-context.ts";
import type { RiverEvent } from "../model/river-event.ts";
import type { RiverMetric } from "../model/river-metric.ts";
import type { WorkerHooks, WorkMiddleware } from "../work/work-middleware.ts";

/** Functions that a client calls at certain moments. */
export interface RiverHooks<Tx = RegisteredTransaction> extends InsertHooks, WorkerHooks<Tx> {
  /** Called with each event, one after another, without holding up the work; an error is logged and ignored. */
  readonly onEvent?: ((event: RiverEvent) => PromiseLike<void> | void) | undefined;
  /** Called with each metric on a hot path, so it must not block; an error is logged and ignored. */
  readonly onMetric?: ((metric: RiverMetric) => void) | undefined;
  /** Called at the start of each term of leadership, before any periodic job is inserted. */
  readonly onPeriodicJobsStart?: ((params: PeriodicJobsStartParams) => PromiseLike<void> | void) | undefined;
}

/** A named bundle of hooks and middleware. All of it runs before the client's own. */
export interface RiverPlugin<Tx = RegisteredTransaction> {
  /** Unique within a client. */
  readonly name: string;
  readonly hooks?: RiverHooks<Tx> | undefined;
  readonly insertMiddleware?: InsertMiddleware | readonly InsertMiddleware[] | undefined;
  readonly middleware?: WorkMiddleware<Tx> | readonly WorkMiddleware<Tx>[] | undefined;
}

/** The options of a client that extend it. */
export interface ExtensionOptions<Tx = RegisteredTransaction> {
  readonly hooks?: RiverHooks<Tx> | undefined;
  readonly insertMiddleware?: InsertMiddleware | readonly InsertMiddleware[] | undefined;
  readonly middleware?: WorkMiddleware<Tx> | readonly WorkMiddleware<Tx>[] | undefined;
  readonly plugins?: readonly RiverPlugin<Tx>[] | undefined;
}

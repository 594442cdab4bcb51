/** What a handler in a managed thread is, and what it is given. */
import type { InsertClient, JobDefinition, WorkOutcome } from "riverqueue";
import type { WorkerThreadWorkContext } from "../worker-thread-handler.ts";
import type { WorkerThreadModule } from "../worker-thread-module.ts";

/**
 * A client that inserts from a thread, through the client that works the attempt: never in a transaction of the handler's,
 * and only jobs of the definitions that the executor was given as `inserts`.
 *
 * @addition
 */
export type ManagedThreadClient = Pick<InsertClient<never>, "insert" | "insertMany">;

/**
 * What a handler in a managed thread gets.
 *
 * @addition
 */
export type ManagedThreadWorkContext<Definition extends JobDefinition = JobDefinition> =
  WorkerThreadWorkContext<Definition> & {
    /**
     * Inserts jobs, until the handler has settled. A rejected insertion has the name and message of the client's error; a
     * later one is rejected with a `JobAttemptFinishedError`.
     */
    readonly client: ManagedThreadClient;
  };

/**
 * A handler in a managed thread.
 *
 * @addition
 */
export type ManagedThreadWorkHandler<Definition extends JobDefinition = JobDefinition> = (
  context: ManagedThreadWorkContext<Definition>,
) => PromiseLike<WorkOutcome | void> | WorkOutcome | void;

/**
 * Names of the exports of `Module` that are handlers for `Definition`; any name when nothing is known of the module.
 *
 * @addition
 */
export type ManagedThreadExportName<Module, Definition extends JobDefinition> = unknown extends Module
  ? string
  : {
      [Name in keyof Module]: Module[Name] extends ManagedThreadWorkHandler<Definition> ? Name : never;
    }[keyof Module] &
      string;

/**
 * Where the handler of a definition is.
 *
 * @addition
 */
export interface ManagedThreadHandlerTarget<Definition extends JobDefinition, Module> {
  /** Name of the export. */
  readonly exportName: ManagedThreadExportName<Module, Definition>;
  /** Absolute URL of the ES module. */
  readonly module: WorkerThreadModule<Module>;
}

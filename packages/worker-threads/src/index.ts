/**
 * Runs handlers that compute in a bounded pool of threads.
 *
 * @packageDocumentation
 */
export { WorkerThreads } from "./worker-threads.ts";
export type { WorkerThreadsDiagnostics } from "./worker-threads-diagnostics.ts";
export type { WorkerThreadsOptions } from "./worker-threads-options.ts";
export { WorkerThreadHandlerError } from "./worker-thread-handler-error.ts";
export type { WorkerThreadWorkContext, WorkerThreadWorkHandler } from "./worker-thread-handler.ts";
export type { WorkerThreadExportName, WorkerThreadHandlerTarget, WorkerThreadModule } from "./worker-thread-module.ts";

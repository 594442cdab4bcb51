/**
 * WT-16 WT-17 WT-18 WT-19 WT-08 What the compiler says about references to handlers. Nothing here runs.
 *
 * WT-75 The shapes of the public types.
 */
import type { ResourceLimits } from "node:worker_threads";
import { type JobDefinition, type WorkContext, type WorkExecutorTarget, type WorkOutcome } from "riverqueue";
import {
  type WorkerThreadExportName,
  type WorkerThreadHandlerTarget,
  type WorkerThreadModule,
  WorkerThreads,
  type WorkerThreadsDiagnostics,
  type WorkerThreadsOptions,
  type WorkerThreadWorkContext,
  type WorkerThreadWorkHandler,
} from "../src/index.ts";
import type { Equal } from "./testdata/equal.ts";
import type * as typed from "./testdata/typed-handlers.ts";
import { findPrime, rich } from "./testdata/typed-jobs.ts";

const executor = new WorkerThreads({ maxThreads: 1 });

// Any URL is a module, and a module is a URL.
const module: WorkerThreadModule<typeof typed> = new URL("./typed-handlers.js", import.meta.url);
const plainUrl: URL = module;
const unknownModule: WorkerThreadModule = plainUrl;

// Exports that are handlers for the definition.
const target: WorkExecutorTarget = executor.handler(findPrime, { exportName: "findPrimeHandler", module });
executor.handler(findPrime, { exportName: "anyHandler", module });
executor.handler(rich, { exportName: "describeRich", module });

// @ts-expect-error -- the module has no such export
executor.handler(findPrime, { exportName: "findPrimeHandlers", module });
// @ts-expect-error -- an export that is no handler
executor.handler(findPrime, { exportName: "nthSquare", module });
// @ts-expect-error -- a handler for the arguments of another definition
executor.handler(findPrime, { exportName: "describeRich", module });

// Of a plain URL nothing is known.
executor.handler(findPrime, { exportName: "whatever", module: plainUrl });
executor.handler(findPrime, { exportName: "whatever", module: unknownModule });

// @ts-expect-error -- a text is no URL
executor.handler(findPrime, { exportName: "findPrimeHandler", module: "./typed-handlers.js" });
// @ts-expect-error -- threads are not optional
void new WorkerThreads({});
// @ts-expect-error -- no other options
void new WorkerThreads({ maxThreads: 1, minThreads: 1 });

true satisfies Equal<WorkerThreadExportName<unknown, typeof findPrime>, string>;
true satisfies Equal<WorkerThreadExportName<typeof typed, typeof findPrime>, "anyHandler" | "findPrimeHandler">;
true satisfies Equal<
  WorkerThreadWorkContext<typeof findPrime>,
  Pick<WorkContext<typeof findPrime>, "execution" | "job" | "logger" | "recordOutput" | "setMetadata" | "signal">
>;
true satisfies Equal<
  WorkerThreadWorkHandler,
  (context: WorkerThreadWorkContext) => PromiseLike<WorkOutcome | void> | WorkOutcome | void
>;
true satisfies Equal<keyof WorkerThreadHandlerTarget<JobDefinition, unknown>, "exportName" | "module">;
true satisfies Equal<keyof WorkerThreadsOptions, "maxThreads" | "resourceLimits">;
true satisfies Equal<WorkerThreadsOptions["maxThreads"], number>;
true satisfies Equal<WorkerThreadsOptions["resourceLimits"], ResourceLimits | undefined>;
true satisfies Equal<
  keyof WorkerThreadsDiagnostics,
  "activeThreads" | "crashedThreads" | "idleThreads" | "pendingTasks" | "totalThreads"
>;
void target;

/** Runs one attempt on an executor that is never closed, and leaves its end to the process. */
import { WorkerThreads } from "../../../src/index.ts";
import { contextOf, crashers, task } from "../attempts.ts";

const executor = new WorkerThreads({ maxThreads: 2 });
const { handler } = executor.handler(task, { exportName: process.argv[2] ?? "", module: crashers });
await executor.start(contextOf({ rawArgs: { ms: 200 } }).context, handler).result;
console.log(JSON.stringify(executor.diagnostics()));

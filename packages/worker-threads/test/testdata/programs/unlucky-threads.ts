/** Runs attempts on an executor whose threads a preloaded module ends. */
import { WorkerThreads } from "../../../src/index.ts";
import { contextOf, crashers, task } from "../attempts.ts";

process.on("uncaughtException", (error) => console.log(JSON.stringify({ uncaught: error.message })));
process.on("unhandledRejection", (error) => console.log(JSON.stringify({ unhandled: String(error) })));

const executor = new WorkerThreads({ maxThreads: 2 });
const { handler } = executor.handler(task, { exportName: "nothing", module: crashers });
const attempts = Array.from({ length: 3 }, () => executor.start(contextOf().context, handler).result);
for (const end of await Promise.allSettled(attempts)) {
  console.log(JSON.stringify({ status: end.status, message: String((end as PromiseRejectedResult).reason?.message) }));
}
console.log(JSON.stringify(executor.diagnostics()));
await executor.close();

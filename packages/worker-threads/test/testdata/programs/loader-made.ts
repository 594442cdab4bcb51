/** Runs a handler whose module only a preloaded loader knows. */
import { WorkerThreads } from "../../../src/index.ts";
import { contextOf, task } from "../attempts.ts";

await using executor = new WorkerThreads({ maxThreads: 1 });
const module = new URL("file:///nowhere/loader-made.js");
const { handler } = executor.handler(task, { exportName: "handle", module });
const result = Promise.resolve(executor.start(contextOf().context, handler).result);
await result.catch((error: Error) => console.log(JSON.stringify(error.message)));

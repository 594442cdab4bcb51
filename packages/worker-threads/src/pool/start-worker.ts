/** Starts Node's worker on the module that threads run. */
import { extname } from "node:path";
import { type ResourceLimits, Worker } from "node:worker_threads";

const ENTRY = new URL(`../thread/entry${extname(import.meta.filename)}`, import.meta.url);

/** See the file header. */
export function startWorker(resourceLimits: ResourceLimits | null): Worker {
  const options = { name: "riverqueue", ...(resourceLimits && { resourceLimits }) };
  // A program that is a text of a stated type passes that on to its threads, and Node then runs texts only.
  const runsTextsOnly = process.execArgv.some((arg) => arg.startsWith("--input-type"));
  if (runsTextsOnly) return new Worker(`import(${JSON.stringify(ENTRY.href)})`, { ...options, eval: true });
  return new Worker(ENTRY, options);
}

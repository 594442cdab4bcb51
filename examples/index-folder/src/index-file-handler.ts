// The handler of the jobs that index files. Threads load this module; the main program only knows its type, because hashing
// would keep its event loop from everything else.
import type { WorkerThreadWorkHandler } from "@riverqueue/worker-threads";
import { complete } from "riverqueue";
import type { indexFile } from "./index-file-job.ts";
import { measureFile } from "./measure-file.ts";
import { measurementToJson } from "./measurement-json.ts";

/** Measures the file. Throwing means: another attempt, or `discarded` when this was the last. */
export const measureIndexedFile: WorkerThreadWorkHandler<typeof indexFile> = async ({ job, signal }) => {
  const { path } = job.args;
  const measured = await measureFile(Buffer.from(path.buffer, path.byteOffset, path.byteLength), signal);
  return complete({ output: measurementToJson(measured) });
};

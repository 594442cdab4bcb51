// The job that indexes one file.
import type { DatabaseSync } from "node:sqlite";
import { defineJob, type JobDefinition, type WorkerOptions, type WorkHandler } from "riverqueue";
import { findFileOfJob, removeFileOfJob, saveMeasurement } from "./files-table.ts";
import { measureFile } from "./measure-file.ts";
import type { SingleWriter } from "./single-writer.ts";
import { toPathBytes } from "./stored-path.ts";

/** Queue of the jobs that read files. */
export const FILES_QUEUE = "files";

/** Arguments of a job that reads a file. */
export interface IndexFileArgs {
  /**
   * For people who look at jobs. The job finds its file by the row that has the job's ID: arguments are JSON, and names
   * of files need not be text.
   */
  readonly path: string;
}

/** Indexes one file. */
export const indexFile: JobDefinition<IndexFileArgs> = defineJob({
  kind: "index_file",
  decode: ({ path }): IndexFileArgs => {
    if (typeof path !== "string") throw new TypeError("path must be text");
    return { path };
  },
  defaults: { queue: FILES_QUEUE, maxAttempts: 3 },
});

/** How index jobs are worked. */
export const INDEX_FILE_OPTIONS: WorkerOptions<typeof indexFile> = {
  // A huge file takes as long as it takes.
  timeout: null,
  // Somebody sits there and waits, so the next attempt comes soon. River's own policy would wait 1 s, then 16 s.
  retryPolicy: (_job, now) => now.add({ milliseconds: 500 }),
};

/** What index jobs work with. */
export interface IndexFileParts {
  /** Sees committed rows only. */
  readonly reader: DatabaseSync;
  readonly writer: SingleWriter;
}

/** Makes the handler. Throwing means: another attempt, or `discarded` when this was the last. */
export function indexFileHandler({ reader, writer }: IndexFileParts): WorkHandler<typeof indexFile> {
  return async ({ job, signal, completeTx }) => {
    const file = findFileOfJob(reader, job.id);
    // The file has left the folder, or a newer job has it: there is nothing to do, and returning completes the job.
    if (file === null) return;
    const measured = await measureFile(toPathBytes(file.path), signal);
    await writer.write(async (tx) => {
      const isOurs = measured === null ? removeFileOfJob(tx, job.id) : saveMeasurement(tx, job.id, measured);
      // One commit for the results and for the end of the job: whenever the process is killed, there are both or none.
      // If the job was taken from this attempt meanwhile, this throws and the results are rolled back.
      if (isOurs) await completeTx(tx);
    });
  };
}

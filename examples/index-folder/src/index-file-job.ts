// The job that indexes one file: what it takes, and what is done with what its handler has found out. The handler itself
// is in a module of its own, which threads load.
import { complete, defineJob, type JobDefinition, type WorkerOptions } from "riverqueue";
import type { IndexDatabase } from "./index-database.ts";
import { measurementFromJson } from "./measurement-json.ts";

/** Queue of the jobs that read files. */
export const FILES_QUEUE = "files";

/** Arguments of a job that reads a file, as they are stored. */
export interface IndexFileInput {
  /** For people who look at jobs. */
  readonly path: string;
  /** The path's bytes in base64: arguments are JSON, and names of files need not be text. */
  readonly bytes: string;
}

/** The arguments as the handler gets them. Bytes are no JSON, and cross to its thread all the same. */
export interface IndexFileArgs {
  readonly path: Uint8Array;
}

/** Indexes one file. */
export const indexFile: JobDefinition<IndexFileInput, IndexFileArgs> = defineJob<IndexFileInput>()({
  kind: "index_file",
  decode: ({ bytes }): IndexFileArgs => {
    if (typeof bytes !== "string") throw new TypeError("bytes must be text");
    return { path: Uint8Array.from(Buffer.from(bytes, "base64")) };
  },
  defaults: { queue: FILES_QUEUE, maxAttempts: 3 },
});

/** How index jobs are worked, and what is written when a thread has measured a file. */
export function indexFileOptions(database: IndexDatabase): WorkerOptions<typeof indexFile> {
  return {
    // A huge file takes as long as it takes.
    timeout: null,
    // Somebody sits there and waits, so the next attempt comes soon. River's own policy would wait 1 s, then 16 s.
    retryPolicy: (_job, now) => now.add({ milliseconds: 500 }),
    hooks: {
      // Runs here, where the database is, when the handler has settled.
      async afterWork({ job, completeTx }, result) {
        if (result.status !== "succeeded") return undefined;
        const measured = measurementFromJson(result.outcome?.type === "complete" ? result.outcome.output : undefined);
        await database.write(async (tx, files) => {
          const isOurs = await (measured === null
            ? files.removeByJob(job.id)
            : files.saveMeasurement(job.id, measured));
          // One commit for the results and for the end of the job: whenever the process is killed, there are both or
          // none. If the job was taken from this attempt meanwhile, this throws and the results are rolled back.
          // A file that has left the folder, or that a newer job has, is not ours: nothing is to be done for it.
          if (isOurs) await completeTx(tx);
        });
        // The measurement is in the table, and need not be stored with the job as well.
        return { status: "succeeded", outcome: complete() };
      },
    },
  };
}

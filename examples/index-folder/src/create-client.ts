// The client: which queues it works, with what, and how quickly it notices things.
import type { WorkerThreadModule, WorkerThreads } from "@riverqueue/worker-threads";
import { Client, type Logger, Workers } from "riverqueue";
import type { DatabaseTrouble } from "./database-trouble.ts";
import type { IndexDatabase } from "./index-database.ts";
import type * as handlers from "./index-file-handler.ts";
import { FILES_QUEUE, indexFile, indexFileOptions } from "./index-file-job.ts";
import { printSummary, printSummaryHandler } from "./summary-job.ts";

/** Files claimed at the same time: each thread has one, and the others wait for theirs without a pause between. */
const FILES_AT_ONCE = 8;

/** Where threads find the handler, by the name that it would have if this program were compiled. */
const HANDLERS: WorkerThreadModule<typeof handlers> = new URL("./index-file-handler.js", import.meta.url);

/** What a client needs. */
export interface ClientParts {
  /** Runs the handlers that read files. Whoever has made it closes it, after the run. */
  readonly executor: WorkerThreads;
  /** Prints the summary. */
  readonly printReport: () => Promise<void>;
  /** Told of errors that River would deal with by trying again. */
  readonly trouble: DatabaseTrouble;
}

/** Makes a client that can index files and print the summary, once that has a queue. */
export function createClient(database: IndexDatabase, parts: ClientParts): Client {
  const workers = new Workers()
    .addExecutor(
      indexFile,
      parts.executor.handler(indexFile, { exportName: "measureIndexedFile", module: HANDLERS }),
      indexFileOptions(database),
    )
    .add(printSummary, printSummaryHandler(parts.printReport));
  return new Client(database.driver, {
    // The summary's queue is added when the whole folder has been walked through.
    queues: { [FILES_QUEUE]: { maxWorkers: FILES_AT_ONCE, pollInterval: { milliseconds: 250 } } },
    // Most files are read in a millisecond. A queue claims no more jobs than it has free workers, and not more often than
    // this, so with River's 100 ms it would work 80 jobs per second at most.
    fetchCooldown: { milliseconds: 5 },
    workers,
    logger: loggerOf(parts.trouble),
    errorHandler: (_context, error) => parts.trouble.note(error),
    jobTimeout: { seconds: 5 },
    // River's own settings are made for services that run for months. Here somebody waits for the end, so what the
    // leader does is done every second. A leader that was killed is followed 10 s plus `electionInterval` after its last
    // sign of life, and its `running` jobs may be rescued after `rescueAfter`.
    maintenance: {
      electionInterval: { seconds: 1 },
      rescueAfter: { seconds: 5 },
      rescuerInterval: { seconds: 1 },
      schedulerInterval: { seconds: 1 },
    },
  });
}

/**
 * Prints errors, but not those of files: they are in the summary. Once the database has failed there is nothing more to
 * print, because everything else follows from it.
 */
function loggerOf(trouble: DatabaseTrouble): Logger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (attributes) => trouble.note(attributes["error"]),
    error: (attributes, message) => {
      trouble.note(attributes["error"]);
      if (!trouble.isMet && attributes["jobKind"] !== indexFile.kind) console.error(attributes, message);
    },
  };
}

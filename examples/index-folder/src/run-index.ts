// One run from beginning to end: walk, insert, work, summary, stop.
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { WorkerThreads } from "@riverqueue/worker-threads";
import type { RunHandle } from "riverqueue";
import type { CommandLine } from "./command-line.ts";
import { createClient } from "./create-client.ts";
import { describeKilledRun, describeWalk } from "./describe-run.ts";
import { DatabaseTrouble, toDatabaseProblem } from "./database-trouble.ts";
import type { Display } from "./display.ts";
import { formatSummary } from "./format-summary.ts";
import { openIndexDatabase } from "./index-database.ts";
import { type Failure, readReport } from "./index-report.ts";
import type { StopSignals } from "./stop-signals.ts";
import { showText } from "./stored-path.ts";
import { printSummary, SUMMARY_QUEUE } from "./summary-job.ts";
import { takeOver } from "./take-over.ts";
import { walkFolder } from "./walk-folder.ts";
import { watchProgress } from "./watch-progress.ts";

/** Threads that read files at most: a disk is not quicker with more. */
const MOST_THREADS = 4;

/** Exit code when a file could not be indexed. */
const SOME_FAILED = 2;

/**
 * Indexes a folder.
 *
 * @returns the exit code: 0 when every file is indexed, 2 when one is not, that of the signal when it was stopped.
 * @throws DemoProblem for what the user can put right.
 */
export async function runIndex(task: CommandLine, display: Display, signals: StopSignals): Promise<number> {
  try {
    return await indexFolder(task, display, signals);
  } catch (error) {
    display.clear();
    throw toDatabaseProblem(error, task.database.shown);
  }
}

async function indexFolder(task: CommandLine, display: Display, signals: StopSignals): Promise<number> {
  const { folder, database: address } = task;
  await using resources = new AsyncDisposableStack();
  const trouble = new DatabaseTrouble();
  const database = await openIndexDatabase(address, {
    onWait: () => display.line(`Another run works on ${address.shown}. Waiting until it ends.`),
    signal: signals.stop,
    onLost: (error) => trouble.note(error),
  });
  if (database === null) return signals.exitCode ?? 0;
  resources.use(database);

  const startedAt = Temporal.Now.instant();
  const printed = Promise.withResolvers<number>();
  let unreadable: readonly Failure[] = [];
  const printReport = async (): Promise<void> => {
    const report = await readReport(client, database.files, folder, startedAt);
    display.clear();
    for (const line of formatSummary(folder, report, unreadable)) display.line(line);
    printed.resolve(report.failures.length + unreadable.length === 0 ? 0 : SOME_FAILED);
  };
  // Closed after the run, which is stopped first because it is begun later.
  const executor = resources.use(new WorkerThreads({ maxThreads: Math.min(MOST_THREADS, availableParallelism()) }));
  const client = createClient(database, { executor, printReport, trouble });

  display.line(`Indexing the files of ${showText(folder.toString())} into ${address.shown}`);
  const progress = watchProgress(client, display);
  for (const line of await describeKilledRun(client, await takeOver(client, database))) display.line(line);
  const run = await client.start();
  // Rejects when the runtime fails; there is no summary then.
  const failed = run.completed.then(() => SOME_FAILED);
  failed.catch(() => undefined);
  // Handlers run at the end of this block only when something has failed, and then they need not finish.
  resources.defer(() => run.stop({ mode: "cancel" }));

  const walk = await walkFolder(folder, {
    client,
    database,
    signal: signals.stop,
    onWaiting: progress.expect,
  });
  if (walk !== null) {
    unreadable = walk.unreadable;
    display.line(describeWalk(walk));
    progress.show();
    await client.insert(printSummary, {}, { delay: { seconds: 1 } });
    await run.addQueue(SUMMARY_QUEUE, { maxWorkers: 1, pollInterval: { milliseconds: 250 } });
    const exitCode = await Promise.race([printed.promise, failed, aborted(signals.stop), trouble.met]);
    if (exitCode !== null) return exitCode;
  }
  await stopEarly(run, display, signals);
  trouble.throwIfMet();
  return signals.exitCode ?? 0;
}

async function stopEarly(run: RunHandle, display: Display, signals: StopSignals): Promise<void> {
  display.clear();
  display.line("Stopping as soon as the files that are being read are done. Ctrl-C again gives them up.");
  signals.cancel.addEventListener("abort", () => display.line("Giving up the files that are being read."));
  // A second signal turns the graceful stop into one that aborts the handlers.
  await run.stop({ signal: signals.cancel });
  display.clear();
  display.line("Stopped. The next run goes on from here.");
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (!signal.aborted) await once(signal, "abort");
  return null;
}

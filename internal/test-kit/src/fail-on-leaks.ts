/** Makes a test file fail for what its tests leave behind or let slip. */
import { after } from "node:test";

/** Kinds of resources that belong to the process itself: its standard streams and the channel to the test runner. */
const OWN = new Set(["PipeWrap", "TTYWrap", "TTY", "Pipe", "FSReqPromise", "FSReqCallback"]);

/** How long closing sockets and ending children are waited for, in milliseconds. */
const GRACE_MS = 2000;

/** How long a failed file lives on to report, in milliseconds. */
const REPORT_MS = 500;

/**
 * Call it at the top of a test file, once. After all tests of the file it fails when something still keeps the event
 * loop alive (a timer that was not cleared, a socket, a worker, a file watcher), or when there was an unhandled
 * rejection or an uncaught exception, those after a test's end included.
 */
export function failOnLeaks(): void {
  const slipped: unknown[] = [];
  const note = (error: unknown): void => void slipped.push(error);
  process.on("unhandledRejection", note);
  process.on("uncaughtExceptionMonitor", note);

  after(async () => {
    const leaked = await leakedResources();
    process.off("unhandledRejection", note);
    process.off("uncaughtExceptionMonitor", note);
    if (slipped.length > 0) throw endAsFailed(new AggregateError(slipped, `nobody handled ${slipped.join("; ")}`));
    if (leaked.length > 0) throw endAsFailed(new Error(`left behind by the tests of this file: ${leaked.join(", ")}`));
  });
}

/**
 * A failed hook alone does not fail the process, what is left behind would keep it from ending, and one that is ended
 * does not come to its summary.
 */
function endAsFailed(error: Error): Error {
  console.error(error.message);
  process.once("exit", () => (process.exitCode = 1));
  // The report of the hook has been written by then; where nothing keeps the process alive it ends before.
  setTimeout(() => process.exit(), REPORT_MS).unref();
  return error;
}

async function leakedResources(): Promise<string[]> {
  const deadline = performance.now() + GRACE_MS;
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const leaked = process.getActiveResourcesInfo().filter((kind) => !OWN.has(kind));
    if (leaked.length === 0 || performance.now() >= deadline) return leaked;
  }
}

// The job that follows all others and tells how it went.
import { defineJob, type JobDefinition, snooze, type WorkHandler } from "riverqueue";
import { indexFile } from "./index-file-job.ts";

/** Queue of the summary, which has a worker of its own so that it never waits behind files. */
export const SUMMARY_QUEUE = "summary";

/** Prints the summary when no index job is left to do. */
export const printSummary: JobDefinition = defineJob({
  kind: "print_summary",
  defaults: {
    queue: SUMMARY_QUEUE,
    // At most one of them waits. One that a stopped or killed run has left is taken up by the next run, and a finished
    // one makes room for the next.
    unique: { byQueue: true, byState: ["available", "pending", "retryable", "running", "scheduled"] },
  },
});

/** How long the summary waits before it looks again. */
const LOOK_AGAIN = { milliseconds: 250 };

/**
 * Makes the handler.
 *
 * @param print Prints the summary; it may be called again if the process is killed right afterwards.
 */
export function printSummaryHandler(print: () => Promise<void>): WorkHandler {
  return async ({ client }) => {
    const { jobs } = await client.jobs.list({
      kinds: [indexFile.kind],
      states: ["available", "pending", "retryable", "running", "scheduled"],
      limit: 1,
    });
    // Not done yet: the job goes to sleep and comes again, which costs it no attempt.
    if (jobs.length > 0) return snooze(LOOK_AGAIN);
    await print();
    return undefined;
  };
}

/** What the application says about a failed attempt: its error handler and its retry policies. None of them can break the attempt. */
import type { Job } from "../definition/job-definition.ts";
import { isStorableTime } from "../definition/storable-time.ts";
import { ignoreRejection } from "../kit/ignore-rejection.ts";
import type { WorkLogger } from "../kit/logger.ts";
import type { JobRow } from "../model/job-row.ts";
import { canonicalError } from "../model/errors/recorded-error.ts";
import { defaultRetryTime } from "../work/default-retry-policy.ts";
import type { RiverErrorHandler } from "../work/error-handler.ts";
import type { RetryPolicy } from "../work/retry-policy.ts";
import type { ErrorHandlerContext } from "../work/work-context.ts";
import { asksFor } from "./handler-answer.ts";

/** Whether the error handler asks to cancel the job. */
export async function errorHandlerCancels<Tx>(
  handler: RiverErrorHandler<Tx>,
  context: ErrorHandlerContext<Tx>,
  error: unknown,
): Promise<boolean> {
  try {
    return asksFor(await handler(context, error), "cancel", "errorHandler");
  } catch (thrown) {
    context.logger.error(
      { error: canonicalError(thrown).error },
      "the error handler failed; it is taken to have asked for nothing",
    );
    return false;
  }
}

/** What a retry time is chosen from. */
export interface RetryChoice {
  readonly row: JobRow;
  /** The job with decoded arguments; null when they were not decoded, and then the worker's policy is not asked. */
  readonly job: Job | null;
  readonly workerPolicy: RetryPolicy<Job> | undefined;
  readonly clientPolicy: RetryPolicy | undefined;
  readonly now: Temporal.Instant;
  readonly random: () => number;
  readonly logger: WorkLogger;
}

/** The first time that a policy gives, in the order worker, client, built-in; a time before `now` gives the built-in's. */
export function chooseRetryTime(choice: RetryChoice): Temporal.Instant {
  const { row, job, workerPolicy, clientPolicy, now, logger } = choice;
  const chosen =
    (workerPolicy && job && askPolicy(() => workerPolicy(job, now), "worker", logger)) ??
    (clientPolicy && askPolicy(() => clientPolicy(row, now), "client", logger));
  if (chosen && Temporal.Instant.compare(chosen, now) >= 0) return chosen;
  if (chosen)
    logger.warn(
      { retryAt: chosen.toString() },
      "the retry policy gave a time in the past; the built-in policy is used",
    );
  return defaultRetryTime(errorCount(row), now, choice.random);
}

function askPolicy(policy: () => unknown, whose: string, logger: WorkLogger): Temporal.Instant | null {
  try {
    const at = policy();
    if (at instanceof Temporal.Instant && isStorableTime(at)) return at;
    ignoreRejection(at);
    logger.warn({ policy: whose }, "the retry policy gave no time of the years 1 to 9999; the next policy is used");
  } catch (thrown) {
    const { error } = canonicalError(thrown);
    logger.warn({ policy: whose, error }, "the retry policy failed; the next policy is used");
  }
  return null;
}

/** Errors recorded before the one at hand. */
function errorCount(row: JobRow): number {
  try {
    return row.errors.length;
  } catch {
    // An unreadable column: the attempts before this one are the best guess.
    return Math.max(row.attempt - 1, 0);
  }
}

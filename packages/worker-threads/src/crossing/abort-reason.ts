/** The reason of an abort, so that a handler can tell by class what it is asked to stop for. */
import { JobCancelledError, JobTimeoutError, LifecycleError } from "riverqueue";

interface ReasonText {
  readonly name: string;
  readonly message: string;
  readonly timeout: string | null;
}

/** JSON text of a reason. Never throws. */
export function encodeAbortReason(reason: unknown): string {
  const known = reason instanceof Error ? reason : new Error("aborted");
  const timeout = reason instanceof JobTimeoutError ? reason.timeout.toString() : null;
  return JSON.stringify({ name: known.name, message: known.message, timeout });
}

/** The reason again, as the class that it was of. */
export function decodeAbortReason(text: string, jobId: bigint): Error {
  const { name, message, timeout } = JSON.parse(text) as ReasonText;
  if (name === "JobCancelledError") return new JobCancelledError(jobId);
  if (timeout !== null) return new JobTimeoutError(jobId, Temporal.Duration.from(timeout));
  if (name === "LifecycleError") return new LifecycleError(message);
  return Object.assign(new Error(message), { name });
}

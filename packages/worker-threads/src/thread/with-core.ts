/** Everything in a thread that needs the core, behind `withCore()`. */
import { JobAttemptFinishedError, ValidationError } from "riverqueue";
import { decodeAbortReason } from "../crossing/abort-reason.ts";
import { decodeJob } from "../crossing/job-text.ts";
import { describeReturned } from "../crossing/describe-returned.ts";
import { encodeOutcome, isOutcome } from "../crossing/outcome-text.ts";
import { InsertChannel } from "./insert-channel.ts";
import { encodeLogAttributes, encodeMetadata, encodeOutput } from "./recorded-values.ts";

export { decodeAbortReason, decodeJob, encodeLogAttributes, encodeMetadata, encodeOutput, InsertChannel };

/** Text of what a handler returned. @throws ValidationError when that is no outcome. */
export function outcomeText(returned: unknown, kind: string): string {
  if (isOutcome(returned)) return encodeOutcome(returned);
  const from = `the handler of job kind ${JSON.stringify(kind)}`;
  throw new ValidationError(`${from} returned ${describeReturned(returned)}; it must return nothing, or an outcome`);
}

/** The reason that the signal of an attempt has after its end. */
export function attemptFinished(jobId: bigint): JobAttemptFinishedError {
  return new JobAttemptFinishedError(jobId);
}

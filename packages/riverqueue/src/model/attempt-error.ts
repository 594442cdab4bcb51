/** One entry of a job's `errors`: what a failed attempt left behind. */

/** A recorded failure of one attempt. */
export interface AttemptError {
  /** Start of the attempt; for a rescued job the moment of the rescue. The epoch when the stored text is no time. */
  readonly at: Temporal.Instant;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Message, at most 32,768 UTF-16 code units when written by this client. */
  readonly error: string;
  /** Stack of a runtime fault, empty for other errors unless the client records all stacks. */
  readonly trace: string;
}

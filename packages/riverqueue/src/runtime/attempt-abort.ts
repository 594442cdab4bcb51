/**
 * Why an attempt is asked to stop. The first cause is what the handler sees on its signal; a cancellation from outside is
 * remembered also when it comes second, because it outranks every result except success.
 */
import { JobAbortedError } from "../model/errors/job-aborted-error.ts";
import { JobAttemptFinishedError } from "../model/errors/job-attempt-finished-error.ts";
import { JobCancelledError } from "../model/errors/job-cancelled-error.ts";

/** Causes of an abort: the job was cancelled, its timeout passed, its client stops. */
export type AbortCause = "cancellation" | "shutdown" | "timeout";

/** The aborts of one attempt as far as its outcome depends on them. */
export interface AttemptAborts {
  /** The cause that aborted the signal; null while none has. */
  readonly first: AbortCause | null;
  /** Reason of the signal; undefined while there is no cause. */
  readonly reason: unknown;
  /** Set once the job was cancelled from outside while it ran. */
  readonly cancelled: JobCancelledError | null;
}

/** See the file header. Makes its signal only when somebody looks at it. */
export class AttemptAbort implements AttemptAborts {
  first: AbortCause | null = null;
  reason: unknown = undefined;
  cancelled: JobCancelledError | null = null;
  #controller: AbortController | null = null;
  #onFirst: (() => void) | null = null;
  #decided = false;
  #finishedJob: bigint | null = null;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.first !== null) this.#controller.abort(this.reason);
      else if (this.#finishedJob !== null) this.#controller.abort(new JobAttemptFinishedError(this.#finishedJob));
    }
    return this.#controller.signal;
  }

  /** Calls `listener` at the first cause, at once when there has been one. One listener at a time. */
  onFirst(listener: () => void): void {
    if (this.first !== null) listener();
    else this.#onFirst = listener;
  }

  cancel(jobId: bigint): void {
    if (this.#decided || this.cancelled !== null) return;
    this.cancelled = new JobCancelledError(jobId);
    this.abort("cancellation", this.cancelled);
  }

  /** Has no effect after another cause. */
  abort(cause: AbortCause, reason: unknown): void {
    if (this.#decided || this.first !== null) return;
    this.first = cause;
    this.reason = reason;
    this.#onFirst?.();
    this.#controller?.abort(reason);
  }

  /** The result of the attempt is known: what comes from now on cannot change it. */
  decide(): void {
    this.#decided = true;
    this.#onFirst = null;
  }

  /** The attempt has ended: whatever of it still runs is asked to stop. */
  finish(jobId: bigint): void {
    this.#finishedJob = jobId;
    if (this.first === null) this.#controller?.abort(new JobAttemptFinishedError(jobId));
  }
}

/**
 * Whether an attempt that ended with `thrown` was stopped by the abort with `reason`: the error, or an error in its chain
 * of causes, is the reason itself or is named `AbortError`, as Node's own APIs throw it. So wrapping the reason,
 * `new Error("…", { cause: signal.reason })`, counts as having been stopped. The errors inside an `AggregateError` do not
 * count. Never throws.
 */
export function isStoppedBy(thrown: unknown, reason: unknown): boolean {
  const seen = new Set<unknown>();
  for (let error = thrown; !seen.has(error) && seen.size < CAUSE_LIMIT; error = readProperty(error, "cause")) {
    if (error === reason || readProperty(error, "name") === "AbortError") return true;
    seen.add(error);
  }
  return false;
}

/** What an attempt fails with whose handler was ended by force: a shutdown counts, any other abort stands for itself. */
export function terminationError(aborts: AttemptAborts, jobId: bigint): unknown {
  return aborts.first === "shutdown" ? new JobAbortedError(jobId) : aborts.reason;
}

const CAUSE_LIMIT = 100;

function readProperty(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

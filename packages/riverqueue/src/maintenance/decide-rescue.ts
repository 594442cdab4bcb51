/** The decision about one job that has been running for suspiciously long. Pure: facts in, verdict out. */

/** What is known about a stuck job. */
export interface RescueFacts {
  /** Somebody asked for its cancellation. */
  readonly cancelRequested: boolean;
  /** Its worker in this client; null when the kind is unknown. */
  readonly worker: RescueWorkerFacts | null;
  /** Milliseconds since its attempt began. */
  readonly ageMs: number;
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** What is known about the worker of a stuck job. */
export interface RescueWorkerFacts {
  /** Whether the stored arguments pass the definition. */
  readonly decodes: boolean;
  /** Milliseconds that an attempt may take; null when it may take for ever. */
  readonly timeoutMs: number | null;
}

/** What becomes of it. `leave`: it may still be at work. The policy of a retry is the worker's own or the client's. */
export type RescueVerdict = "cancel" | "discard" | "leave" | "retry_by_client_policy" | "retry_by_worker_policy";

/** The first matching rule decides. */
export function decideRescue({ cancelRequested, worker, ageMs, attempt, maxAttempts }: RescueFacts): RescueVerdict {
  if (cancelRequested) return "cancel";
  if (worker === null) return "discard";
  const attemptsLeft = attempt < maxAttempts;
  if (!worker.decodes) return attemptsLeft ? "retry_by_client_policy" : "discard";
  if (worker.timeoutMs === null || ageMs < worker.timeoutMs) return "leave";
  return attemptsLeft ? "retry_by_worker_policy" : "discard";
}

/** Makes the rescue of one stuck job: gathers the facts, asks the decision table, and writes down what it decided. */
import type { Rescue } from "../driver/maintain-jobs.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Clock } from "../kit/clock.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { JobRow } from "../model/job-row.ts";
import { type DecodedJobRow, jobRowOf } from "../model/job-row-view.ts";
import { answerOf } from "./answer-of.ts";
import { decideRescue, type RescueVerdict } from "./decide-rescue.ts";
import type { StuckJobPolicy, StuckJobWorker } from "./stuck-job-policy.ts";

/** Operators search for this text; it is the same in every River client. */
const RESCUE_ERROR = "Stuck job rescued by JobRescuer";

/** Surroundings of {@link rescueJob}. */
export interface RescueContext {
  readonly clock: Clock;
  readonly policy: StuckJobPolicy;
  /** Time of the pass. */
  readonly now: Temporal.Instant;
  /** Ends the wait for a decoder. */
  readonly signal: AbortSignal;
}

/** A rescue, and whether it ends a job only because nobody here works its kind. */
export interface DecidedRescue {
  readonly rescue: Rescue;
  readonly unknownKind: boolean;
}

/**
 * What to write for a job, or null when it is to be left alone.
 *
 * @throws JsonValueError when its metadata is unreadable, and whatever a driver throws for a column that is.
 */
export async function rescueJob(record: JobRecord, context: RescueContext): Promise<DecidedRescue | null> {
  const { policy, now } = context;
  const job = jobRowOf(record);
  const { metadata } = job;
  const cancelRequested = isRealTime(metadata["cancel_attempted_at"]);
  const worker = policy.workerOf(job.kind);
  const decoded = worker === null || cancelRequested ? null : await decode(job, worker, context);
  const verdict = decideRescue({
    cancelRequested,
    worker: worker && { decodes: decoded !== null, timeoutMs: worker.timeoutMs },
    ageMs: now.epochMilliseconds - (job.attemptedAt ?? now).epochMilliseconds,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
  });
  const outcome = outcomeOf(verdict, now, () =>
    worker && decoded ? worker.retryTime(decoded, now) : policy.retryTime(job, now),
  );
  if (outcome === null) return null;
  const error = JSON.stringify({ at: now.toString(), attempt: job.attempt, error: RESCUE_ERROR, trace: "" });
  const rescue = { id: job.id, ...outcome, error, metadata: rescueCount(metadata) };
  return { rescue, unknownKind: worker === null && !cancelRequested };
}

function outcomeOf(
  verdict: RescueVerdict,
  now: Temporal.Instant,
  retryTime: () => Temporal.Instant,
): Pick<Rescue, "finalizedAt" | "scheduledAt" | "state"> | null {
  if (verdict === "leave") return null;
  if (verdict === "cancel") return { state: "cancelled", finalizedAt: now, scheduledAt: null };
  if (verdict === "discard") return { state: "discarded", finalizedAt: now, scheduledAt: null };
  return { state: "retryable", finalizedAt: null, scheduledAt: retryTime() };
}

async function decode(
  job: JobRow,
  worker: StuckJobWorker,
  { clock, signal }: RescueContext,
): Promise<DecodedJobRow<unknown> | null> {
  try {
    return await answerOf(clock, signal, () => worker.decode(job));
  } catch {
    return null;
  }
}

/** Go clients may store their zero time, which means that no cancellation was asked for. */
function isRealTime(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return Temporal.Instant.from(value).toString() !== "0001-01-01T00:00:00Z";
  } catch {
    return false;
  }
}

/** JSON text that counts one more rescue; what is no whole number restarts the count. */
function rescueCount(metadata: JsonObject): string {
  const before = metadata["river:rescue_count"];
  const count = typeof before === "number" && Number.isSafeInteger(before) ? before + 1 : 1;
  return JSON.stringify({ "river:rescue_count": count });
}

/** Says in log and events what became of an attempt, once it is committed. Event kinds follow the stored row. */
import type { SettledJob } from "../driver/settle-jobs.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { loggableJob } from "../model/loggable-job.ts";
import { jobRowOf, type WrittenColumns } from "../model/job-row-view.ts";
import type { JobState } from "../model/job-state.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import type { EventHub } from "./event-hub.ts";

type SettlementEventKind = AttemptEnd["eventKind"] | "job_race";

/** Logs a failure, and emits what became of `end` if anybody is to know. */
export function publishSettlement(
  { hub, environment, logger }: { hub: EventHub; environment: Environment; logger: Logger },
  end: AttemptEnd,
  settled: SettledJob,
): void {
  logSettlement(logger, end, settled);
  const kind = eventKindOf(end, settled);
  if (kind === null) return;
  hub.tally?.ended(kind, end.record);
  if (!hub.wanted(kind)) return;
  const read = settled.job ?? (settled.outcome === "missing" ? end.completedTx : null);
  const job = read ? jobRowOf(read) : jobRowOf(end.record, writtenColumns(end, settled));
  const at = environment.clock.now();
  if (kind === "job_failed") hub.emit({ at, kind, job, error: end.error });
  else if (kind === "job_cancelled" && end.error !== undefined) hub.emit({ at, kind, job, error: end.error });
  else hub.emit({ at, kind, job });
}

/** Logs what an operator may have to look into. Snoozes, cancellations and interruptions are none of it. */
function logSettlement(
  logger: Logger,
  { record, completedTx, error, eventKind }: AttemptEnd,
  settled: SettledJob,
): void {
  const { outcome, state } = settled;
  if (outcome === "missing" && completedTx === null) {
    logger.warn(loggableJob(record), "the job's row had been deleted when its attempt ended");
  }
  if (eventKind !== "job_failed") return;
  const attributes = { ...loggableJob(record), error };
  if (outcome === "settled" && state === "discarded") logger.error(attributes, "a job failed and was discarded");
  else if (outcome === "settled" && state !== "cancelled") logger.warn(attributes, "a job failed and will be retried");
  else if (completedTx !== null && (outcome === "merged" || outcome === "missing")) {
    logger.warn(attributes, "a handler failed after completeTx had completed its job");
  }
}

/** The event a committed settlement deserves, or null for none. */
export function eventKindOf(end: AttemptEnd, settled: SettledJob): SettlementEventKind | null {
  switch (settled.outcome) {
    case "settled":
      return settled.state === "cancelled" ? "job_cancelled" : end.eventKind;
    case "merged":
      return kindOfFinalState(settled.state);
    case "superseded":
      return "job_race";
    case "missing":
      // Deleted in the handler's own transaction, which has committed.
      return end.completedTx === null ? null : "job_completed";
    default:
      return null;
  }
}

/** A row that somebody else finalized is reported as what it is; one that waits to run again is nobody's end. */
function kindOfFinalState(state: JobState | null): SettlementEventKind | null {
  if (state === "completed") return "job_completed";
  if (state === "cancelled") return "job_cancelled";
  return state === "discarded" ? "job_failed" : null;
}

/** The columns that the settlement wrote, for a row that was not read back. */
function writtenColumns({ settlement }: AttemptEnd, { outcome, state }: SettledJob): WrittenColumns {
  const { newAttempt, finalizedAt, scheduledAt, metadata, error } = settlement;
  if (outcome === "superseded") return {};
  if (outcome === "merged") return { state: state ?? settlement.state, metadata };
  return { state: state ?? settlement.state, attempt: newAttempt, finalizedAt, scheduledAt, metadata, error };
}

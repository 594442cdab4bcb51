/** From the result of an attempt to its end: error handler, retry time, classification, diagnostics. */
import type { Job } from "../definition/job-definition.ts";
import type { WorkLogger } from "../kit/logger.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { JobRow } from "../model/job-row.ts";
import type { ErrorHandlerContext, WorkAttemptContext } from "../work/work-context.ts";
import type { WorkAttemptResult } from "../work/work-result.ts";
import type { AttemptAborts } from "./attempt-abort.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { chooseRetryTime, errorHandlerCancels } from "./attempt-failure.ts";
import { withRecorded } from "./attempt-hooks.ts";
import type { AttemptPlan } from "./attempt-plan.ts";
import type { AttemptRecorder } from "./attempt-recorder.ts";
import type { AttemptServices } from "./attempt-services.ts";
import { type AttemptResult, attemptVerdict, type AttemptVerdict } from "./attempt-verdict.ts";
import { classifyOutcome } from "./classify-outcome.ts";
import { workChannel } from "./diagnostics-channels.ts";

/** The attempt as its settlement needs it. */
export interface SettlingAttempt<Tx> {
  readonly services: AttemptServices<Tx>;
  readonly record: JobRecord;
  readonly startedAt: Temporal.Instant;
  readonly plan: AttemptPlan<Tx> | null;
  readonly aborts: AttemptAborts;
  readonly row: JobRow;
  readonly logger: WorkLogger;
  /** Null until the arguments were decoded. */
  readonly handlerContext: { readonly job: Job } | null;
  /** Null when nothing was ever recorded. */
  readonly usedRecorder: AttemptRecorder<Tx> | null;
  readonly hookContext: WorkAttemptContext<Tx>;
  readonly errorContext: ErrorHandlerContext<Tx>;
}

/** Ends an attempt. Nothing that code of the application does here can change its result any more. */
export async function settleAttempt<Tx>(attempt: SettlingAttempt<Tx>, result: AttemptResult): Promise<AttemptEnd> {
  const verdict = attemptVerdict(result, attempt.aborts);
  const { errorHandler } = attempt.services;
  let handlerCancels = false;
  if (errorHandler !== null && "reported" in verdict && verdict.reported) {
    handlerCancels = await errorHandlerCancels(errorHandler, attempt.errorContext, verdict.error);
  }
  if (verdict.type !== "completed") attempt.usedRecorder?.stageProgress();
  const { settlement, eventKind, error } = classifyAttempt(attempt, verdict, handlerCancels);
  if (workChannel.hasSubscribers) publishWork(attempt, result, verdict, eventKind === "job_cancelled");
  const completedTx = attempt.usedRecorder?.completedTx ?? null;
  const { record } = attempt;
  return error === undefined
    ? { record, settlement, eventKind, completedTx }
    : { record, settlement, eventKind, error, completedTx };
}

function classifyAttempt<Tx>(
  attempt: SettlingAttempt<Tx>,
  verdict: AttemptVerdict,
  handlerCancels: boolean,
): ReturnType<typeof classifyOutcome> {
  const { services, plan, handlerContext: context } = attempt;
  const now = services.environment.clock.now();
  return classifyOutcome({
    record: attempt.record,
    clientId: services.clientId,
    startedAt: attempt.startedAt,
    verdict,
    handlerCancels,
    now,
    retryTime: () =>
      chooseRetryTime({
        row: attempt.row,
        job: context?.job ?? null,
        workerPolicy: plan?.registration.options.retryPolicy,
        clientPolicy: services.retryPolicy ?? undefined,
        now,
        random: services.environment.random,
        logger: attempt.logger,
      }),
    staged: attempt.usedRecorder?.staged ?? null,
    nearFutureMs: services.nearFutureMs,
    errorStacks: services.errorStacks,
    deleteOnComplete: plan?.registration.options.deleteOnComplete ?? false,
  });
}

function publishWork<Tx>(
  attempt: SettlingAttempt<Tx>,
  result: AttemptResult,
  verdict: AttemptVerdict,
  cancel: boolean,
): void {
  const published = withRecorded(publishedResult(result, verdict, cancel), attempt.usedRecorder?.staged ?? null);
  workChannel.publish(Object.freeze({ context: attempt.hookContext, result: published }));
}

function publishedResult(result: AttemptResult, verdict: AttemptVerdict, cancel: boolean): WorkAttemptResult {
  if (verdict.type === "failed") return { status: "failed", error: verdict.error, cancel };
  if (result.type === "threw")
    return { status: verdict.type === "cancelled" ? "cancelled" : "failed", error: result.error };
  if (verdict.type === "cancelled" && result.outcome?.type !== "cancel")
    return { status: "cancelled", error: verdict.error };
  return result.outcome === undefined ? { status: "succeeded" } : { status: "succeeded", outcome: result.outcome };
}

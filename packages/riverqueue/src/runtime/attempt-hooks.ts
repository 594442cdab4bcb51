/** Runs the hooks after a handler, each of which sees and may replace the result so far. */
import type { JobDefinition } from "../definition/job-definition.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { ExtensionError } from "../model/errors/extension-error.ts";
import { isPlainObject } from "../options/option-problems.ts";
import { isWorkOutcome, type WorkOutcome } from "../work/outcome.ts";
import type { StagedMetadata } from "../work/staged-metadata.ts";
import type { WorkContext } from "../work/work-context.ts";
import type { WorkerHooks } from "../work/work-middleware.ts";
import type { WorkAttemptResult } from "../work/work-result.ts";
import type { AttemptAborts } from "./attempt-abort.ts";

/** A cancellation that a hook asked for, with the error to record. */
export interface HookCancellation {
  readonly error: unknown;
  /** Whether the error handler is called all the same. */
  readonly reported: boolean;
}

/** The attempt as these hooks need it. */
export interface HookedAttempt {
  readonly aborts: AttemptAborts;
  readonly staged: StagedMetadata | null;
  recordOutput(output: JsonValue): void;
  setMetadata(key: string, value: JsonValue): void;
  /** Remembers that the error about to be thrown is to cancel the job. */
  cancelWith(cancellation: HookCancellation): void;
}

/** Runs `handler` and then the hooks; returns or throws what the last of them made of it. */
export async function runAfterHooks<Tx>(
  hooks: readonly NonNullable<WorkerHooks<Tx>["afterWork"]>[],
  context: WorkContext<JobDefinition, Tx>,
  attempt: HookedAttempt,
  handler: () => Promise<WorkOutcome | undefined>,
): Promise<WorkOutcome | undefined> {
  let result = await handlerResult(handler, attempt);
  for (const afterWork of hooks) {
    try {
      const replacement = await afterWork(context, withRecorded(result, attempt.staged));
      if (replacement !== undefined) result = adopt(replacement, attempt);
    } catch (error) {
      result = { status: "failed", error };
    }
  }
  if (result.status === "succeeded") return result.outcome;
  if (result.status === "failed" && result.cancel) attempt.cancelWith({ error: result.error, reported: true });
  if (result.status === "cancelled" && attempt.aborts.cancelled === null) {
    attempt.cancelWith({ error: result.error, reported: false });
  }
  throw result.error;
}

/** The result of an attempt as hooks and the diagnostics channel see it. */
export function withRecorded(result: WorkAttemptResult, staged: StagedMetadata | null): WorkAttemptResult {
  const output = staged?.output();
  const metadata = staged?.metadata();
  return Object.freeze({
    ...result,
    ...(output === undefined ? {} : { output }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

async function handlerResult(
  handler: () => Promise<WorkOutcome | undefined>,
  attempt: HookedAttempt,
): Promise<WorkAttemptResult> {
  try {
    const outcome = await handler();
    return outcome === undefined ? { status: "succeeded" } : { status: "succeeded", outcome };
  } catch (error) {
    return { status: attempt.aborts.cancelled === null ? "failed" : "cancelled", error };
  }
}

/** Checks a result that a hook returned, and records the output and metadata in it. */
function adopt(replacement: unknown, attempt: HookedAttempt): WorkAttemptResult {
  if (!isWorkAttemptResult(replacement)) {
    throw new ExtensionError("afterWork must return nothing or a result with a status and what belongs to it");
  }
  const { output, metadata } = replacement as { output?: JsonValue; metadata?: JsonObject };
  if (output !== undefined) attempt.recordOutput(output);
  for (const [key, value] of Object.entries(metadata ?? {})) attempt.setMetadata(key, value);
  return replacement;
}

function isWorkAttemptResult(value: unknown): value is WorkAttemptResult {
  if (!isPlainObject(value)) return false;
  const { status, outcome, metadata } = value;
  if (metadata !== undefined && !isPlainObject(metadata)) return false;
  if (status === "succeeded") return outcome === undefined || isWorkOutcome(outcome);
  return (status === "failed" || status === "cancelled") && "error" in value;
}

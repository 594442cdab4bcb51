/** Runs the handler of an attempt on an executor and hands the attempt's aborts on to it. */
import type { Logger } from "../kit/logger.ts";
import type { WorkContext } from "../work/work-context.ts";
import type { WorkExecutorHandle, WorkExecutorTarget } from "../work/work-executor.ts";
import { type AttemptAbort, terminationError } from "./attempt-abort.ts";

/** One attempt on an executor. */
export interface ExecutorAttempt {
  readonly jobId: bigint;
  readonly target: WorkExecutorTarget;
  readonly context: WorkContext;
  readonly abort: AttemptAbort;
  /** How long an aborted handler may take before it is ended by force. */
  readonly gracePeriod: Temporal.Duration;
  readonly logger: Logger;
  /** Called when the handler starts. */
  readonly onStarted: () => void;
}

type Settled =
  | { readonly type: "fulfilled"; readonly value: unknown }
  | { readonly type: "rejected"; readonly error: unknown };

/**
 * What the handler returned. Settles when it has settled or is gone.
 *
 * @throws what the handler threw; the reason of the abort when the handler had not started by then; what
 *   `terminationError` says when it was ended by force.
 */
export async function runOnExecutor(attempt: ExecutorAttempt): Promise<unknown> {
  const { abort, target, context } = attempt;
  if (abort.first !== null) throw abort.reason;
  const handle = target.executor.start(context, target.handler);
  let started = false;
  const start = (): void => {
    started = true;
    attempt.onStarted();
  };
  // A start that fails shows in the result.
  if (handle.started === undefined) start();
  else Promise.resolve(handle.started).then(start, () => {});
  const aborting: { terminated: Promise<boolean> | null } = { terminated: null };
  const forced = new Promise<"forced">((resolve) => {
    abort.onFirst(() => {
      aborting.terminated = abortHandle(handle, attempt);
      void aborting.terminated.then((terminated) => terminated && resolve("forced"));
    });
  });
  const end = await Promise.race([settledResult(handle), forced]);
  if (!started && abort.first !== null) throw abort.reason;
  if (end !== "forced" && end.type === "fulfilled") return end.value;
  if (end === "forced" || (await aborting.terminated)) throw terminationError(abort, attempt.jobId);
  throw end.error;
}

function settledResult(handle: WorkExecutorHandle): Promise<Settled> {
  return Promise.resolve(handle.result).then(
    (value): Settled => ({ type: "fulfilled", value }),
    (error: unknown): Settled => ({ type: "rejected", error }),
  );
}

/** Whether the handler was ended by force. */
async function abortHandle(handle: WorkExecutorHandle, attempt: ExecutorAttempt): Promise<boolean> {
  try {
    const result = await handle.abort(attempt.abort.reason, { gracePeriod: attempt.gracePeriod });
    return result.terminated;
  } catch (error) {
    const attributes = { jobId: String(attempt.jobId), executor: attempt.target.executor.name, error };
    attempt.logger.error(attributes, "the executor failed to abort an attempt; waiting for its result");
    return false;
  }
}

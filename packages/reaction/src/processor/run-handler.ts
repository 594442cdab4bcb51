/** Runs a command's handler once, under its timeout and the signal of its lease. */
import { parseValue } from "../definition/check-value.ts";
import type { Command } from "../definition/define-command.ts";
import { type CommandOutcome, encodeResult, outcomeOf } from "../definition/outcome.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { storableText } from "../kit/storable-text.ts";
import type { Timing } from "../kit/timing.ts";
import type { LogAttributes, Logger } from "../logging/logger.ts";
import type { CommandError, CommandExecution } from "../model/command-execution.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";

/** How an attempt ended, ready to be stored. */
export type AttemptEnd =
  | { readonly type: "failed"; readonly error: CommandError; readonly retry: boolean }
  | { readonly type: "succeeded"; readonly result: string | null; readonly resultDropped: boolean };

const LONGEST_MESSAGE = 2000;

/** What the handler is run with. */
export interface HandlerRun {
  readonly command: Command;
  readonly execution: CommandExecution;
  readonly keeper: LeaseKeeper;
  readonly timeoutMs: number;
  readonly timing: Timing;
  readonly ctx: WorkerCtx;
}

/**
 * Never rejects. A handler that goes on after its signal was aborted is waited for until the lease is about to run out;
 * one that comes back with a success in that time has succeeded.
 */
export async function runHandler(run: HandlerRun): Promise<AttemptEnd> {
  const { keeper, timing, timeoutMs } = run;
  const cancelTimeout = timing.after(timeoutMs, () => keeper.abort("timeout"));
  const handled = handle(run);
  try {
    return await Promise.race([handled, abandoned(keeper, timing, handled)]);
  } finally {
    cancelTimeout();
  }
}

async function handle({ command, execution, keeper, ctx }: HandlerRun): Promise<AttemptEnd> {
  let input: unknown;
  try {
    input = await parseValue(command.schema, execution.input, "input");
  } catch (error) {
    // What the schema refuses now it refuses the next time; what goes wrong while it looks may not.
    const isRefused = error instanceof ValidationError;
    const code = isRefused ? "invalid_input" : "exception";
    return { type: "failed", error: describe(error, keeper, code), retry: !isRefused };
  }
  const { id: executionId, eventId, attempt } = execution;
  try {
    const returned = await command.execute({ input, executionId, eventId, attempt, signal: keeper.signal, ctx });
    return endOf(outcomeOf(returned));
  } catch (error) {
    logThrown(ctx.logger, { error, eventId, commandId: executionId, attempt });
    return { type: "failed", error: describe(error, keeper), retry: true };
  }
}

/** The record has its words; where it came from is for whoever reads the log. */
function logThrown(logger: Logger, attributes: LogAttributes): void {
  try {
    logger.warn(attributes, "a command's handler has thrown");
  } catch {
    // Anything can be thrown, also what a logger cannot look at. The attempt has failed all the same.
  }
}

function endOf(outcome: CommandOutcome): AttemptEnd {
  if (outcome.type === "failed") {
    const { code, message, retry } = outcome;
    return { type: "failed", error: { code, message: storableText(message, LONGEST_MESSAGE) }, retry };
  }
  const { text, dropped } = encodeResult(outcome.result);
  return { type: "succeeded", result: text, resultDropped: dropped };
}

/** Resolves when the handler has been aborted and the time to wait for it is over. */
async function abandoned(keeper: LeaseKeeper, timing: Timing, handled: Promise<unknown>): Promise<AttemptEnd> {
  const settled = new AbortController();
  void handled.then(() => settled.abort(null));
  await new Promise<void>((resolve) => {
    keeper.signal.addEventListener("abort", () => resolve(), { once: true, signal: settled.signal });
  });
  await timing.pause(Math.max(0, keeper.remainingMs * 0.8), settled.signal);
  return { type: "failed", error: describe(keeper.signal.reason, keeper), retry: true };
}

function describe(error: unknown, keeper: LeaseKeeper, plain = "exception"): CommandError {
  const code = keeper.abortCode ?? plain;
  let message = "something without a message was thrown";
  try {
    message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    // What cannot be put into words stays without.
  }
  return { code, message: storableText(message, LONGEST_MESSAGE) };
}

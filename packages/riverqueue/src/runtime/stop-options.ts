/** Checks the options of a stop. */
import type { StopOptions } from "../api/run-handle.ts";
import { readDuration } from "../options/duration-input.ts";
import { OptionProblems } from "../options/option-problems.ts";

/** Resolved stop options; a null timeout never escalates. */
export interface ResolvedStop {
  readonly mode: "cancel" | "graceful";
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal | null;
}

/** @throws ValidationError naming every problem. */
export function resolveStopOptions(options: StopOptions = {}): ResolvedStop {
  const problems = new OptionProblems();
  const { mode = "graceful", timeout, signal } = problems.object(options, "", ["mode", "timeout", "signal"]);
  if (mode !== "graceful" && mode !== "cancel") problems.add("mode", 'must be "graceful" or "cancel"');
  const timeoutMs = readDuration(problems, timeout, "timeout", null);
  if (signal !== undefined && !(signal instanceof AbortSignal)) problems.add("signal", "must be an AbortSignal");
  problems.throwValidation();
  return { mode: mode as ResolvedStop["mode"], timeoutMs, signal: (signal as AbortSignal | undefined) ?? null };
}

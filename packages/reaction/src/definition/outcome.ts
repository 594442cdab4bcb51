/** What a command's handler may return. */
import { OptionProblems } from "../kit/option-problems.ts";
import type { JsonValue } from "../model/json-value.ts";
import { encodeValue } from "./check-value.ts";

const MARK = Symbol.for("riverqueue.reaction.outcome");

/** The command is done. */
export interface Succeeded {
  readonly type: "succeeded";
  readonly result: JsonValue;
}

/** The attempt failed, in a way that the handler knows. */
export interface Failed {
  readonly type: "failed";
  readonly code: string;
  readonly message: string;
  /** False: no further attempt, whatever attempts are left. */
  readonly retry: boolean;
}

/** Either. */
export type CommandOutcome = Failed | Succeeded;

/**
 * Ends a command as done, as returning nothing does. `result` is stored; one that is no JSON, larger than 100,000 bytes or
 * refused by the store is left out and the record says so.
 *
 * @throws ValidationError for unknown options.
 */
export function succeeded(options: { readonly result?: JsonValue | undefined } = {}): Succeeded {
  const problems = new OptionProblems();
  const { result } = problems.object(options, "succeeded", ["result"]);
  problems.throwValidation();
  return marked({ type: "succeeded", result: (result ?? null) as JsonValue });
}

/**
 * Ends an attempt as failed.
 *
 * @throws ValidationError unless `code` is 1 to 128 letters, digits or `. _ - : /` and `message` is text.
 */
export function failed(options: {
  readonly code: string;
  readonly message: string;
  readonly retry?: boolean | undefined;
}): Failed {
  const problems = new OptionProblems();
  const { code, message, retry = true } = problems.object(options, "failed", ["code", "message", "retry"]);
  problems.name(code, "failed.code");
  if (typeof message !== "string") problems.add("failed.message", "must be text");
  if (typeof retry !== "boolean") problems.add("failed.retry", "must be true or false");
  problems.throwValidation();
  return marked({ type: "failed", code: code as string, message: message as string, retry: retry as boolean });
}

/** What a handler returned, read as an outcome: whatever no function above made is a success without a result. */
export function outcomeOf(returned: unknown): CommandOutcome {
  if (typeof returned === "object" && returned !== null && MARK in returned)
    return returned as unknown as CommandOutcome;
  return { type: "succeeded", result: null };
}

/** A result as JSON text; null for none or for one that cannot be stored. */
export function encodeResult(result: unknown): { readonly text: string | null; readonly dropped: boolean } {
  if (result === null || result === undefined) return { text: null, dropped: false };
  try {
    return { text: encodeValue(result, "result"), dropped: false };
  } catch {
    return { text: null, dropped: true };
  }
}

function marked<Outcome extends CommandOutcome>(outcome: Outcome): Outcome {
  return Object.freeze(Object.defineProperty(outcome, MARK, { value: true }));
}

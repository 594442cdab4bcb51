/**
 * Turns whatever a handler threw into the two texts an attempt error stores. Every property is read at most once and
 * guarded: getters and proxies of user code run here, and none of them may keep an attempt from being recorded.
 */
import { storableText } from "./storable-text.ts";

/** Longest recorded message, in UTF-16 code units. */
export const RECORDED_MESSAGE_LIMIT = 32_768;
/** Longest recorded trace, in UTF-16 code units. */
export const RECORDED_STACK_LIMIT = 32_768;
/** Longest name that stands in for an empty message, in UTF-16 code units. */
export const RECORDED_NAME_LIMIT = 256;
/** Causes followed below the thrown error; real chains are far shorter. */
const CAUSE_LIMIT = 100;

const FAULT_PROTOTYPES: ReadonlySet<unknown> = new Set([
  EvalError.prototype,
  RangeError.prototype,
  ReferenceError.prototype,
  SyntaxError.prototype,
  TypeError.prototype,
  URIError.prototype,
]);

/**
 * Whose stack is recorded: `"faults"` of runtime faults only (see {@link isRuntimeFault}), `"always"` of every thrown
 * error, followed by its chain of causes.
 */
export type ErrorStacks = "faults" | "always";

/** What is stored of a thrown value: well-formed, free of NUL, within the limits. */
export interface RecordedError {
  /** The message alone, never empty. */
  readonly error: string;
  /** The stack, or empty. */
  readonly trace: string;
}

/**
 * Whether `thrown` is exactly one of the built-in `TypeError`, `RangeError`, `ReferenceError`, `SyntaxError`,
 * `EvalError`, `URIError`, by its prototype: the counterpart of a panic. Subclasses are not. Never throws.
 */
export function isRuntimeFault(thrown: unknown): boolean {
  if (typeof thrown !== "object" || thrown === null) return false;
  return guarded(() => FAULT_PROTOTYPES.has(Object.getPrototypeOf(thrown)), false);
}

/** Makes the stored texts of any thrown value. Never throws. */
export function canonicalError(thrown: unknown, errorStacks: ErrorStacks = "faults"): RecordedError {
  return {
    error: storableText(messageOf(thrown), RECORDED_MESSAGE_LIMIT),
    trace: storableText(traceOf(thrown, errorStacks), RECORDED_STACK_LIMIT),
  };
}

function traceOf(thrown: unknown, errorStacks: ErrorStacks): string {
  if (errorStacks === "always") return stackWithCauses(thrown);
  return isRuntimeFault(thrown) ? readText(thrown, "stack") : "";
}

function stackWithCauses(thrown: unknown): string {
  let trace = readText(thrown, "stack");
  const seen = new Set([thrown]);
  let cause = read(thrown, "cause");
  while (cause !== undefined && !seen.has(cause) && seen.size <= CAUSE_LIMIT && trace.length < RECORDED_STACK_LIMIT) {
    seen.add(cause);
    trace += `${trace === "" ? "" : "\n"}caused by: ${readText(cause, "stack") || messageOf(cause)}`;
    cause = read(cause, "cause");
  }
  return trace;
}

function messageOf(thrown: unknown): string {
  const message = readText(thrown, "message");
  if (message !== "") return message;
  if (guarded(() => thrown instanceof Error, false)) {
    return readText(thrown, "name").slice(0, RECORDED_NAME_LIMIT) || "Error";
  }
  // String() runs `toString` of the thrown object and fails outright on objects without one.
  const text = guarded(() => String(thrown), "");
  return text === "" ? `a thrown ${typeof thrown} without text` : text;
}

function readText(value: unknown, key: string): string {
  const text = read(value, key);
  return typeof text === "string" ? text : "";
}

function read(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  return guarded(() => (value as Record<string, unknown>)[key], undefined);
}

function guarded<T>(body: () => T, otherwise: T): T {
  try {
    return body();
  } catch {
    return otherwise;
  }
}

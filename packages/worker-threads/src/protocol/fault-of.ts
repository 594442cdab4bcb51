/**
 * Reduces whatever was thrown to texts. Reads everything once and survives values that fail when read. Takes nothing from
 * the core: a thread loads that only when it needs it, and one that fails need not.
 */
import type { FaultOrigin, ThreadFault } from "./messages.ts";

/** Characters of an error's name, message and stack that cross; River records no more of them. */
const NAME_LIMIT = 256;
const MESSAGE_LIMIT = 32_768;
const STACK_LIMIT = 32_768;
/** Causes that are looked at. */
const CAUSE_LIMIT = 100;

/** See the file header. The message is never empty. */
export function faultOf(thrown: unknown, origin: FaultOrigin, stopped: boolean = false): ThreadFault {
  const name = textOf(thrown, "name").slice(0, NAME_LIMIT);
  const message = messageOf(thrown, name).slice(0, MESSAGE_LIMIT);
  const stack = textOf(thrown, "stack") || `${name || "Error"}: ${message}`;
  return { origin, name: name || "Error", message, stack: stack.slice(0, STACK_LIMIT), stopped };
}

/** Whether `thrown`, or an error in its chain of causes, is `reason` or named `AbortError`. */
export function isStoppedBy(thrown: unknown, reason: unknown): boolean {
  const seen = new Set<unknown>();
  for (let error = thrown; !seen.has(error) && seen.size < CAUSE_LIMIT; error = read(error, "cause")) {
    if (error === reason || read(error, "name") === "AbortError") return true;
    seen.add(error);
  }
  return false;
}

function messageOf(thrown: unknown, name: string): string {
  const message = textOf(thrown, "message");
  if (message !== "") return message;
  if (guarded(() => thrown instanceof Error, false)) return name || "Error";
  const text = guarded(() => String(thrown), "");
  return text === "" ? `a thrown ${typeof thrown} without text` : text;
}

function textOf(value: unknown, key: string): string {
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

/** How a job prints in `console.log` and `util.inspect`: by its values, times as text. */
import type { InspectContext, InspectOptions } from "node:util";

/** The members of a row in the order they print. */
const MEMBERS = [
  "id",
  "kind",
  "queue",
  "state",
  "priority",
  "attempt",
  "maxAttempts",
  "args",
  "rawArgs",
  "metadata",
  "tags",
  "attemptedBy",
  "errors",
  "createdAt",
  "scheduledAt",
  "attemptedAt",
  "finalizedAt",
  "uniqueKey",
  "uniqueStates",
] as const;

/** A row in the way of Node's custom inspection; never throws, also not for a row with unreadable columns. */
export function inspectJobRow(
  row: object,
  depth: number | null,
  options: InspectContext,
  inspect: (value: unknown, options: InspectOptions) => string,
): string {
  if (depth !== null && depth < 0) return options.stylize("[JobRow]", "special");
  const shown: Record<string, unknown> = {};
  for (const member of MEMBERS) {
    if (member in row) shown[member] = shownValue(row, member);
  }
  return `JobRow ${inspect(shown, { ...options, depth })}`;
}

function shownValue(row: object, member: string): unknown {
  try {
    return withTimesAsText((row as Record<string, unknown>)[member]);
  } catch {
    return "(unreadable)";
  }
}

/** Node prints a Temporal value as an empty object. */
function withTimesAsText(value: unknown): unknown {
  if (value instanceof Temporal.Instant) return value.toString();
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => (isAttemptError(entry) ? { ...entry, at: entry.at.toString() } : entry));
}

function isAttemptError(value: unknown): value is { readonly at: Temporal.Instant } {
  return typeof value === "object" && value !== null && "at" in value && value.at instanceof Temporal.Instant;
}

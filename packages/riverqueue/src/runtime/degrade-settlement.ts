/**
 * Takes out of an end, step by step, what the database may have refused: first the output, then all staged metadata,
 * then the error text, at last everything but the state. A note with the reason's code stands in their place.
 */
import { parseJsonObject } from "../json/parse-json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { RiverError } from "../model/errors/river-error.ts";
import type { AttemptEnd } from "./attempt-end.ts";

/** Ever poorer versions of `end`; steps that would change nothing are left out. */
export function* degradations(end: AttemptEnd, cause: unknown): Generator<AttemptEnd> {
  const note = `not stored: the database refused the value (${reasonOf(cause)})`;
  let current = end.settlement;
  const staged = current.metadata === null ? null : parseJsonObject(current.metadata);
  if (staged && "output" in staged) {
    current = { ...current, metadata: stringifyJson({ ...staged, output: note }) };
    yield { ...end, settlement: current };
  }
  if (staged && Object.keys(staged).length > ("output" in staged ? 1 : 0)) {
    const kept = "snoozes" in staged ? { snoozes: staged["snoozes"] } : {};
    current = { ...current, metadata: stringifyJson({ ...kept, "river:degraded": note }) };
    yield { ...end, settlement: current };
  }
  if (current.error !== null) {
    const entry = parseJsonObject(current.error);
    current = { ...current, error: stringifyJson({ ...entry, error: note, trace: "" }) };
    yield { ...end, settlement: current };
  }
  if (current.metadata !== null || current.error !== null) {
    yield { ...end, settlement: { ...current, metadata: null, error: null } };
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof RiverError)) return "unknown";
  const { reason, sqlstate } = cause.details as { readonly reason?: string; readonly sqlstate?: string };
  return sqlstate ?? reason ?? cause.code;
}

/** Checks the options of `client.subscribe`. */
import type { SubscribeOptions } from "../api/event-subscription.ts";
import { RIVER_EVENT_KINDS, type RiverEventKind } from "../model/river-event.ts";
import { nearestName } from "../options/nearest-name.ts";
import { OptionProblems } from "../options/option-problems.ts";

/** Checked options of a subscription. */
export interface SubscribeSettings {
  /** Null: every kind. */
  readonly kinds: ReadonlySet<RiverEventKind> | null;
  readonly capacity: number;
  readonly signal: AbortSignal | undefined;
}

const SUBSCRIBE_KEYS: readonly (keyof SubscribeOptions)[] = Object.freeze(["kinds", "capacity", "signal"]);
const CAPACITY_DEFAULT = 256;
const CAPACITY_MAX = 1_000_000;

/** @throws ValidationError naming everything that is wrong. */
export function readSubscribeOptions(value: unknown): SubscribeSettings {
  const problems = new OptionProblems();
  const { kinds, capacity = CAPACITY_DEFAULT, signal } = problems.object(value, "", SUBSCRIBE_KEYS);
  const isCapacity = Number.isInteger(capacity) && Number(capacity) >= 1 && Number(capacity) <= CAPACITY_MAX;
  if (!isCapacity) problems.add("capacity", `must be an integer from 1 to ${CAPACITY_MAX}`);
  if (signal !== undefined && !(signal instanceof AbortSignal)) problems.add("signal", "must be an AbortSignal");
  const settings = {
    kinds: readKinds(problems, kinds),
    capacity: capacity as number,
    signal: signal as AbortSignal | undefined,
  };
  problems.throwValidation();
  return settings;
}

function readKinds(problems: OptionProblems, value: unknown): ReadonlySet<RiverEventKind> | null {
  if (value === undefined) return null;
  if (!Array.isArray(value)) {
    problems.add("kinds", "must be an array");
    return null;
  }
  for (const [index, kind] of (value as unknown[]).entries()) {
    if (RIVER_EVENT_KINDS.includes(kind as RiverEventKind)) continue;
    const near = typeof kind === "string" ? nearestName(kind, RIVER_EVENT_KINDS) : null;
    problems.add(`kinds[${index}]`, near ? `is no event kind; did you mean ${near}?` : "must be an event kind");
  }
  return new Set(value as RiverEventKind[]);
}

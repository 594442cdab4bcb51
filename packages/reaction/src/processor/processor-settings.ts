/** Options that set the pace of a processor, checked once. */
import { type DurationInput, LONGEST_TIMER_MS, readDuration } from "../kit/duration.ts";
import type { BackOff } from "../kit/back-off.ts";
import type { OptionProblems } from "../kit/option-problems.ts";

/** See the file header. */
export interface PaceOptions {
  /** Attempts of commands that set none, 1 to 100, default 3. */
  readonly maxAttempts?: number | undefined;
  /** How long one attempt of a command may take that sets nothing else; default 30 s, or half of `lease` where that is less. */
  readonly timeout?: DurationInput | undefined;
  /** How long a lease lasts without being renewed, at least 50 ms, default 60 s. It is renewed at a third. */
  readonly lease?: DurationInput | undefined;
  /** Tries to store an event or send its message, 1 to 10, default 3, and the pause after the first, default 100 ms, doubling. */
  readonly emission?:
    | { readonly tries?: number | undefined; readonly firstDelay?: DurationInput | undefined }
    | undefined;
  /** Pause after the first failed attempt of an async command, default 10 s, doubling up to `longestDelay`, default 15 min. */
  readonly retry?:
    | { readonly firstDelay?: DurationInput | undefined; readonly longestDelay?: DurationInput | undefined }
    | undefined;
  /** When the sweeper first looks at an event that nothing has moved since; default 60 s. */
  readonly sweepAfter?: DurationInput | undefined;
  /** When finished events lose their content (default 90 days) and their keys (default never), and alerts go (90 days). */
  readonly retention?:
    | {
        readonly content?: DurationInput | undefined;
        readonly keys?: DurationInput | undefined;
        readonly alerts?: DurationInput | undefined;
      }
    | undefined;
}

/** Names of {@link PaceOptions}. */
export const PACE_OPTIONS: readonly string[] = [
  "maxAttempts",
  "timeout",
  "lease",
  "emission",
  "retry",
  "sweepAfter",
  "retention",
];

/** Checked, in milliseconds. */
export interface ProcessorSettings {
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly leaseMs: number;
  readonly emission: BackOff & { readonly tries: number };
  readonly retry: BackOff;
  readonly sweepAfterMs: number;
  readonly retention: {
    readonly contentAfterMs: number;
    readonly keysAfterMs: number | null;
    readonly alertsAfterMs: number;
  };
  /** Deliveries of one message of `async-policy-task`. */
  readonly deliveries: number;
}

const DAY_MS = 86_400_000;
/** One delivery and three redeliveries. */
const DELIVERIES = 4;

/** What is wrong goes to `problems`. */
export function readSettings(options: Readonly<Record<string, unknown>>, problems: OptionProblems): ProcessorSettings {
  const group = (name: string, known: readonly string[]): Readonly<Record<string, unknown>> =>
    options[name] === undefined ? {} : problems.object(options[name], `options.${name}`, known);
  const emission = group("emission", ["tries", "firstDelay"]);
  const retry = group("retry", ["firstDelay", "longestDelay"]);
  const retention = group("retention", ["content", "keys", "alerts"]);
  const leaseMs = readDuration(problems, options["lease"], "options.lease", 60_000, {
    minMs: 50,
    maxMs: LONGEST_TIMER_MS,
  });
  const longest = { maxMs: leaseMs - 1, minMs: 1 };
  return {
    maxAttempts: problems.integer(options["maxAttempts"], "options.maxAttempts", 3, { min: 1, max: 100 }),
    timeoutMs: readDuration(problems, options["timeout"], "options.timeout", Math.min(30_000, leaseMs / 2), longest),
    leaseMs,
    emission: {
      tries: problems.integer(emission["tries"], "options.emission.tries", 3, { min: 1, max: 10 }),
      firstMs: readDuration(problems, emission["firstDelay"], "options.emission.firstDelay", 100),
      longestMs: 10_000,
    },
    retry: {
      firstMs: readDuration(problems, retry["firstDelay"], "options.retry.firstDelay", 10_000),
      longestMs: readDuration(problems, retry["longestDelay"], "options.retry.longestDelay", 900_000),
    },
    sweepAfterMs: readDuration(problems, options["sweepAfter"], "options.sweepAfter", 60_000),
    retention: {
      contentAfterMs: readDuration(problems, retention["content"], "options.retention.content", 90 * DAY_MS),
      keysAfterMs: readDuration(problems, retention["keys"], "options.retention.keys", null),
      alertsAfterMs: readDuration(problems, retention["alerts"], "options.retention.alerts", 90 * DAY_MS),
    },
    deliveries: DELIVERIES,
  };
}

/** The client option `eventLoopDelay`. */
import { type DurationInput, readDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";

/** How the delay of the event loop is watched. */
export interface EventLoopDelayOptions {
  /** Time between two observations, at least `resolution`; default 1 s. */
  readonly reportInterval?: DurationInput | undefined;
  /** Time between two samples, whole milliseconds, at least 1 ms; default 20 ms. An idle loop shows about this delay. */
  readonly resolution?: DurationInput | undefined;
  /** An observation whose longest delay is longer than this is an event; default 100 ms. */
  readonly warningThreshold?: DurationInput | undefined;
}

/** Checked options, in milliseconds. */
export interface EventLoopDelaySettings {
  readonly reportIntervalMs: number;
  readonly resolutionMs: number;
  readonly warningThresholdMs: number;
}

const KEYS: readonly (keyof EventLoopDelayOptions)[] = Object.freeze([
  "reportInterval",
  "resolution",
  "warningThreshold",
]);

/** Reads the option; null when it is `false`, which turns monitoring off. */
export function resolveEventLoopDelay(value: unknown, problems: OptionProblems): EventLoopDelaySettings | null {
  if (value === false) return null;
  const options = value === undefined ? {} : problems.object(value, "eventLoopDelay", KEYS);
  const reportIntervalMs = readDuration(problems, options["reportInterval"], at("reportInterval"), 1_000, { minMs: 1 });
  const resolutionMs = readDuration(problems, options["resolution"], at("resolution"), 20, { minMs: 1 });
  const warningThresholdMs = readDuration(problems, options["warningThreshold"], at("warningThreshold"), 100);
  if (!Number.isInteger(resolutionMs)) problems.add(at("resolution"), "must be of whole milliseconds");
  if (reportIntervalMs < resolutionMs) problems.add(at("reportInterval"), "must not be shorter than resolution");
  return Object.freeze({ reportIntervalMs, resolutionMs, warningThresholdMs });
}

function at(key: keyof EventLoopDelayOptions): string {
  return `eventLoopDelay.${key}`;
}

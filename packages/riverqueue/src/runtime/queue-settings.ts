/** Checks names and configurations of queues. */
import { isQueueName, QUEUE_NAME_EXPECTATION } from "../definition/queue-name.ts";
import { readDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import type { QueueSettings } from "./runtime-settings.ts";

/** Default wait between two polls, in milliseconds. */
export const DEFAULT_POLL_INTERVAL_MS = 1_000;
/** Default shortest time between two claims, in milliseconds. */
export const DEFAULT_FETCH_COOLDOWN_MS = 100;
/** Most handlers of one queue at the same time. */
export const MAX_WORKERS_LIMIT = 10_000;

/** Resolves one queue's configuration; problems are reported under `path`. */
export function normalizeQueueConfig(
  name: string,
  config: unknown,
  path: string,
  fetchCooldownMs: number,
  problems: OptionProblems,
): QueueSettings {
  if (!isQueueName(name)) problems.add(path, QUEUE_NAME_EXPECTATION);
  const given = problems.object(config, path, ["maxWorkers", "fetchCooldown", "pollInterval"]);
  const maxWorkers = Number.isInteger(given["maxWorkers"]) ? Number(given["maxWorkers"]) : 0;
  if (maxWorkers < 1 || maxWorkers > MAX_WORKERS_LIMIT) {
    problems.add(`${path}.maxWorkers`, `must be an integer from 1 to ${MAX_WORKERS_LIMIT}`);
  }
  const pace = { minMs: 1 };
  const cooldownMs = readDuration(problems, given["fetchCooldown"], `${path}.fetchCooldown`, fetchCooldownMs, pace);
  const pollMs = readDuration(problems, given["pollInterval"], `${path}.pollInterval`, DEFAULT_POLL_INTERVAL_MS, pace);
  if (pollMs < cooldownMs) {
    problems.add(`${path}.pollInterval`, `must not be shorter than the fetchCooldown of ${cooldownMs} ms`);
  }
  return Object.freeze({ maxWorkers, fetchCooldownMs: cooldownMs, pollIntervalMs: pollMs });
}

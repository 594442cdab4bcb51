/** Checks and completes client options: every problem is reported at once, by path. */
import type { PeriodicJob } from "../api/periodic-jobs.ts";
import { InsertFaults } from "../definition/insert-faults.ts";
import type { NormalizedInsertOptions } from "../definition/insert-options.ts";
import { readInsertOptions } from "../definition/read-insert-options.ts";
import { type Extensions, resolveExtensions } from "../extend/resolve-extensions.ts";
import { type FleetSettings, resolveFleet } from "../fleet/fleet-settings.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { consoleLogger, guardedLogger, silentLogger } from "../kit/logger.ts";
import {
  DEFAULT_SCHEDULER_INTERVAL_MS,
  type MaintenanceSettings,
  resolveMaintenance,
} from "../maintenance/maintenance-settings.ts";
import { readDuration } from "../options/duration-input.ts";
import { isPlainObject, type OptionProblems } from "../options/option-problems.ts";
import type { EventLoopDelaySettings } from "../runtime/event-loop-delay-options.ts";
import { resolveEventLoopDelay } from "../runtime/event-loop-delay-options.ts";
import { DEFAULT_FETCH_COOLDOWN_MS, normalizeQueueConfig } from "../runtime/queue-settings.ts";
import type { QueueSettings, RuntimeSettings } from "../runtime/runtime-settings.ts";
import type { RiverErrorHandler } from "../work/error-handler.ts";
import type { JobStuckHandler } from "../work/job-stuck-handler.ts";
import type { RetryPolicy } from "../work/retry-policy.ts";
import { Workers } from "../work/workers.ts";
import { CLIENT_ID_LIMIT, generateClientId } from "./client-id.ts";

const CLIENT_OPTION_NAMES = [
  "clientId",
  "completionBatchSize",
  "completionFlushInterval",
  "defaultInsertOptions",
  "errorHandler",
  "errorStacks",
  "eventLoopDelay",
  "fetchCooldown",
  "fetchOnlyKnownKinds",
  "fleet",
  "hooks",
  "insertMiddleware",
  "jobStuckThreshold",
  "jobTimeout",
  "leaderElectionDisabled",
  "logger",
  "maintenance",
  "middleware",
  "periodicJobs",
  "plugins",
  "pollOnly",
  "queueControlPollInterval",
  "queueHeartbeatInterval",
  "queues",
  "retryPolicy",
  "stuckHandler",
  "workers",
] as const;

/** Resolved options of a client. */
export interface ClientSettings<Tx> {
  readonly runtime: RuntimeSettings;
  readonly defaultInsertOptions: NormalizedInsertOptions;
  readonly extensions: Extensions<Tx>;
  readonly errorHandler: RiverErrorHandler<Tx> | null;
  readonly errorStacks: "always" | "faults";
  readonly eventLoopDelay: EventLoopDelaySettings | null;
  readonly fleet: FleetSettings | null;
  readonly jobStuckThresholdMs: number;
  readonly jobTimeoutMs: number | null;
  readonly logger: Logger;
  readonly maintenance: MaintenanceSettings;
  /** Retries and snoozes due within it are stored as available. */
  readonly nearFutureMs: number;
  readonly periodicJobs: readonly PeriodicJob[];
  readonly retryPolicy: RetryPolicy | null;
  readonly stuckHandler: JobStuckHandler | null;
  readonly workers: Workers<Tx>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** @throws ConfigurationError naming every problem. */
export function resolveClientOptions<Tx>(options: unknown, environment: Environment): ClientSettings<Tx> {
  const faults = new InsertFaults();
  const problems = faults.options;
  const given = problems.object(options, "", CLIENT_OPTION_NAMES);
  const flags = readFlags(given, problems);
  const jobTimeoutMs = readJobTimeout(given, problems);
  const maintenance = resolveMaintenance(given["maintenance"], problems, {
    jobTimeoutMs,
    jobTimeoutGiven: given["jobTimeout"] !== undefined,
  });
  const settings: ClientSettings<Tx> = {
    runtime: readRuntime(given, flags, problems, environment),
    defaultInsertOptions: readInsertOptions(faults, given["defaultInsertOptions"], "defaultInsertOptions"),
    extensions: resolveExtensions<Tx>(given, problems),
    errorHandler: readFunction(given, "errorHandler", problems) as RiverErrorHandler<Tx> | null,
    errorStacks: readChoice(given, "errorStacks", ["faults", "always"], problems),
    eventLoopDelay: resolveEventLoopDelay(given["eventLoopDelay"], problems),
    fleet: resolveFleet(given["fleet"], problems),
    jobStuckThresholdMs: readDuration(problems, given["jobStuckThreshold"], "jobStuckThreshold", 10 * SECOND),
    jobTimeoutMs,
    logger: readLogger(given["logger"], problems),
    maintenance,
    nearFutureMs: flags.leaderElectionDisabled ? DEFAULT_SCHEDULER_INTERVAL_MS : maintenance.schedulerIntervalMs,
    periodicJobs: readPeriodicJobs(given["periodicJobs"], flags.leaderElectionDisabled, problems),
    retryPolicy: readFunction(given, "retryPolicy", problems) as RetryPolicy | null,
    stuckHandler: readFunction(given, "stuckHandler", problems) as JobStuckHandler | null,
    workers: readWorkers<Tx>(given, problems),
  };
  faults.throwConfiguration();
  return Object.freeze(settings);
}

interface Flags {
  readonly fetchOnlyKnownKinds: boolean;
  readonly leaderElectionDisabled: boolean;
  readonly pollOnly: boolean;
}

function readFlags(given: Record<string, unknown>, problems: OptionProblems): Flags {
  const flag = (name: keyof Flags): boolean => {
    const { [name]: value = false } = given;
    if (typeof value !== "boolean") problems.add(name, "must be true or false");
    return value === true;
  };
  return {
    fetchOnlyKnownKinds: flag("fetchOnlyKnownKinds"),
    leaderElectionDisabled: flag("leaderElectionDisabled"),
    pollOnly: flag("pollOnly"),
  };
}

function readRuntime(
  given: Record<string, unknown>,
  flags: Flags,
  problems: OptionProblems,
  environment: Environment,
): RuntimeSettings {
  const duration = (name: string, fallback: number, minMs: number): number =>
    readDuration(problems, given[name], name, fallback, { minMs });
  const fetchCooldownMs = duration("fetchCooldown", DEFAULT_FETCH_COOLDOWN_MS, 1);
  return {
    ...flags,
    clientId: readClientId(given["clientId"], problems, environment),
    queues: readQueues(given, fetchCooldownMs, problems),
    fetchCooldownMs,
    completion: {
      batchSize: readInteger(given, "completionBatchSize", 1_000, 1, 10_000, problems),
      flushIntervalMs: duration("completionFlushInterval", 50, 0),
    },
    queueControlPollIntervalMs: duration("queueControlPollInterval", 2 * SECOND, 1),
    queueHeartbeatIntervalMs: duration("queueHeartbeatInterval", 10 * MINUTE, SECOND),
  };
}

function readClientId(value: unknown, problems: OptionProblems, environment: Environment): string {
  if (value === undefined) return generateClientId(environment.clock.now());
  if (isClientId(value)) return value;
  problems.add("clientId", `must be text of 1 to ${CLIENT_ID_LIMIT} bytes without NUL characters and lone surrogates`);
  return "";
}

/** Other clients count bytes, and not every database stores every text. */
function isClientId(value: unknown): value is string {
  if (typeof value !== "string" || value.length === 0 || Buffer.byteLength(value) > CLIENT_ID_LIMIT) return false;
  return value.isWellFormed() && !value.includes("\0");
}

function readQueues(
  given: Record<string, unknown>,
  fetchCooldownMs: number,
  problems: OptionProblems,
): ReadonlyMap<string, QueueSettings> {
  const queues = new Map<string, QueueSettings>();
  const value = given["queues"];
  if (value === undefined) return queues;
  if (!isPlainObject(value)) {
    problems.add("queues", "must be an object of queue names and their settings");
    return queues;
  }
  for (const [name, config] of Object.entries(value)) {
    queues.set(name, normalizeQueueConfig(name, config, `queues.${name}`, fetchCooldownMs, problems));
  }
  return queues;
}

function readJobTimeout(given: Record<string, unknown>, problems: OptionProblems): number | null {
  const value = given["jobTimeout"];
  return value === null ? null : readDuration(problems, value, "jobTimeout", MINUTE, { minMs: 1 });
}

function readInteger(
  given: Record<string, unknown>,
  name: string,
  fallback: number,
  min: number,
  max: number,
  problems: OptionProblems,
): number {
  const { [name]: value = fallback } = given;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  problems.add(name, `must be an integer from ${min} to ${max}`);
  return fallback;
}

/** The option as it is, for a type that the caller names; whether it is a function can be checked, its shape cannot. */
function readFunction(given: Record<string, unknown>, name: string, problems: OptionProblems): unknown {
  const value = given[name];
  if (value !== undefined && typeof value !== "function") problems.add(name, "must be a function");
  return value ?? null;
}

function readChoice<const Choice extends string>(
  given: Record<string, unknown>,
  name: string,
  choices: readonly [Choice, ...Choice[]],
  problems: OptionProblems,
): Choice {
  const { [name]: value = choices[0] } = given;
  if (!choices.includes(value as Choice)) {
    problems.add(name, `must be ${choices.map((choice) => `"${choice}"`).join(" or ")}`);
  }
  return value as Choice;
}

function readLogger(value: unknown, problems: OptionProblems): Logger {
  if (value === undefined) return consoleLogger;
  if (value === false) return silentLogger;
  if (isLogger(value)) return guardedLogger(value);
  problems.add("logger", "must have the functions debug, info, warn and error, or be false");
  return silentLogger;
}

function isLogger(value: unknown): value is Logger {
  if (typeof value !== "object" || value === null) return false;
  return (["debug", "info", "warn", "error"] as const).every((level) => typeof (value as Logger)[level] === "function");
}

function readPeriodicJobs(value: unknown, neverLeads: boolean, problems: OptionProblems): readonly PeriodicJob[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    problems.add("periodicJobs", "must be an array");
    return [];
  }
  if (neverLeads && value.length > 0) {
    problems.add("periodicJobs", "must be empty when leaderElectionDisabled is true");
  }
  return value as readonly PeriodicJob[];
}

function readWorkers<Tx>(given: Record<string, unknown>, problems: OptionProblems): Workers<Tx> {
  const value = given["workers"];
  if (value instanceof Workers) return value as Workers<Tx>;
  if (value !== undefined) problems.add("workers", "must be made by new Workers()");
  else if (isPlainObject(given["queues"]) && Object.keys(given["queues"]).length > 0) {
    problems.add("queues", "must come with workers");
  }
  return new Workers<Tx>();
}

/** What the embedded home is given, looked at before anything is done with it. */
import { LONGEST_TIMER_MS, readDuration } from "../kit/duration.ts";
import { OptionProblems } from "../kit/option-problems.ts";

/** Queue of the sweeps, which must not wait behind messages. */
export const SWEEP_QUEUE = "reaction-sweep";

const OPTIONS = ["driver", "env", "logger", "queueNames", "statementTimeout", "now"];
const REGISTRATION = ["workers", "queues", "periodicJobs", "reaction", "idleSweep"];
const STATEMENT_MS = 10_000;
const IDLE_SWEEP_MS = 60_000;

/** @throws ConfigurationError naming everything that is wrong with the options of `createEmbeddedHome`. */
export function checkHomeOptions(options: unknown): { readonly statementMs: number } {
  const problems = new OptionProblems();
  const given = problems.object(options, "options", OPTIONS);
  const { driver, queueNames, logger, now, statementTimeout } = given;
  if (member(driver, "canWork") !== true || typeof member(member(driver, "extension"), "run") !== "function") {
    problems.add("options.driver", "must be a driver that can work jobs, such as a SqliteDriver or a PgDriver");
  }
  if (logger !== undefined) problems.logger(logger, "options.logger");
  if (now !== undefined) problems.function(now, "options.now");
  if (queueNames !== undefined) checkNames(problems, queueNames);
  const limits = { minMs: 1, maxMs: LONGEST_TIMER_MS };
  const statementMs = readDuration(problems, statementTimeout, "options.statementTimeout", STATEMENT_MS, limits);
  problems.throwConfiguration();
  return { statementMs };
}

function checkNames(problems: OptionProblems, queueNames: unknown): void {
  // Which names there are is known to `createReaction`.
  const known = typeof queueNames === "object" && queueNames !== null ? Object.keys(queueNames) : [];
  for (const [name, actual] of Object.entries(problems.object(queueNames, "options.queueNames", known))) {
    if (typeof actual !== "string" || actual === "") problems.add(`options.queueNames.${name}`, "must be a name");
  }
}

/** @throws ConfigurationError naming everything that is wrong with what `register` is given. */
export function checkRegistration(registration: unknown): { readonly idleSweepMs: number } {
  const problems = new OptionProblems();
  const given = problems.object(registration, "registration", REGISTRATION);
  const { workers, queues, periodicJobs, reaction, idleSweep } = given;
  if (typeof member(workers, "add") !== "function") problems.add("workers", "must be the Workers of a client");
  if (!Array.isArray(periodicJobs)) problems.add("periodicJobs", "must be a list");
  const own = namesOf(reaction);
  if (own === null) problems.add("reaction", "must be made by createReaction()");
  if (typeof queues !== "object" || queues === null || Array.isArray(queues)) {
    problems.add("queues", "must be an object");
  } else {
    for (const name of [...(own ?? []), SWEEP_QUEUE])
      if (Object.hasOwn(queues, name)) problems.add(`queues.${name}`, "is taken; it is one of reaction's queues");
  }
  const idleSweepMs = readDuration(problems, idleSweep, "idleSweep", IDLE_SWEEP_MS, { maxMs: LONGEST_TIMER_MS });
  problems.throwConfiguration();
  return { idleSweepMs };
}

/** Actual names of the queues of a reaction; null for something else. */
function namesOf(reaction: unknown): readonly string[] | null {
  const queues = member(reaction, "queues");
  if (!Array.isArray(queues) || typeof member(reaction, "consume") !== "function") return null;
  const names = queues.map((queue) => member(queue, "actualName"));
  return names.every((name) => typeof name === "string") ? names : null;
}

/** @throws ConfigurationError for what is no queue of `defineQueue`, nor has its `name` and `maxRetries`. */
export function checkQueue(queue: unknown): void {
  const problems = new OptionProblems();
  const name = member(queue, "name");
  if (typeof name !== "string" || name === "") problems.add("queue.name", "must be a name");
  // Not what `defineQueue` would put in its place: a queue has this number.
  problems.integer(member(queue, "maxRetries") ?? null, "queue.maxRetries", null, { min: 0, max: 100 });
  problems.throwConfiguration();
}

/** @throws ValidationError for what is no attempt of a job. */
export function checkAttempt(attempt: unknown): void {
  const problems = new OptionProblems();
  const id = member(member(attempt, "job"), "id");
  if (!["bigint", "number", "string"].includes(typeof id)) {
    problems.add("attempt", "must be what a handler is given, with job.id");
  }
  problems.throwValidation();
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

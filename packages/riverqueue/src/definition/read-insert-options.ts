/** Checks insert options of any level: a call's, a definition's `defaults`, a client's `defaultInsertOptions`. */
import { copyJsonObject } from "../json/copy-json-value.ts";
import type { JsonObject } from "../json/json-value.ts";
import { toDuration } from "../options/duration-input.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { durationNanoseconds } from "./duration-nanoseconds.ts";
import type { InsertFaults } from "./insert-faults.ts";
import type { NormalizedInsertOptions } from "./insert-options.ts";
import { isQueueName, QUEUE_NAME_EXPECTATION } from "./queue-name.ts";
import { readTags } from "./read-tags.ts";
import { isStorableTime, STORABLE_TIME_EXPECTATION } from "./storable-time.ts";
import { readUniqueOptions } from "./read-unique-options.ts";

/** Names of all insert options. */
export const INSERT_OPTION_NAMES: readonly string[] = Object.freeze([
  "queue",
  "priority",
  "maxAttempts",
  "scheduledAt",
  "delay",
  "tags",
  "metadata",
  "pending",
  "unique",
  "durability",
]);

const NOTHING_GIVEN: NormalizedInsertOptions = Object.freeze({});

/**
 * Checks `value` and copies what is given.
 *
 * @param faults - receives everything that is wrong; the result then means nothing
 * @param path - of `value` in messages; empty for the options of a call
 * @param known - accepted keys
 */
export function readInsertOptions(
  faults: InsertFaults,
  value: unknown,
  path: string,
  known: readonly string[] = INSERT_OPTION_NAMES,
): NormalizedInsertOptions {
  if (value === undefined) return NOTHING_GIVEN;
  const problems = faults.options;
  const given = problems.object(value, path, known);
  const at = (name: string): string => (path ? `${path}.${name}` : name);
  if (given.scheduledAt !== undefined && given.delay !== undefined) {
    problems.add(at("delay"), "cannot be given together with scheduledAt");
  }
  return Object.freeze({
    queue: readQueue(problems, given.queue, at("queue")),
    priority: readInteger(problems, given.priority, at("priority"), 4),
    maxAttempts: readInteger(problems, given.maxAttempts, at("maxAttempts"), 32_767),
    scheduledAt: readScheduledAt(problems, given.scheduledAt, at("scheduledAt")),
    delay: readDelay(problems, given.delay, at("delay")),
    tags: readTags(faults, given.tags, at("tags")),
    metadata: readMetadata(faults, given.metadata, at("metadata")),
    pending: readPending(problems, given.pending, at("pending")),
    unique: given.unique === undefined ? undefined : readUniqueOptions(problems, given.unique, at("unique")),
    durability: readDurability(problems, given.durability, at("durability")),
  });
}

function readQueue(problems: OptionProblems, value: unknown, path: string): string | undefined {
  if (value === undefined || isQueueName(value)) return value;
  problems.add(path, QUEUE_NAME_EXPECTATION);
  return undefined;
}

function readInteger(problems: OptionProblems, value: unknown, path: string, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max) return value;
  problems.add(path, `must be an integer from 1 to ${max}`);
  return undefined;
}

function readScheduledAt(problems: OptionProblems, value: unknown, path: string): Temporal.Instant | undefined {
  if (value === undefined) return undefined;
  const instant = toInstant(value);
  if (instant === null) problems.add(path, "must be a Temporal.Instant or a valid Date");
  else if (isStorableTime(instant)) return instant;
  else problems.add(path, STORABLE_TIME_EXPECTATION);
  return undefined;
}

function toInstant(value: unknown): Temporal.Instant | null {
  if (value instanceof Temporal.Instant) return value;
  if (!(value instanceof Date)) return null;
  const milliseconds = value.getTime();
  return Number.isNaN(milliseconds) ? null : Temporal.Instant.fromEpochMilliseconds(milliseconds);
}

function readDelay(problems: OptionProblems, value: unknown, path: string): Temporal.Duration | undefined {
  if (value === undefined) return undefined;
  const duration = toDuration(value);
  if (duration === null) problems.add(path, "must be a duration of days or smaller units, such as { seconds: 5 }");
  else if (durationNanoseconds(duration) < 0n) problems.add(path, "must not be negative");
  else return duration;
  return undefined;
}

function readMetadata(faults: InsertFaults, value: unknown, path: string): JsonObject | undefined {
  return value === undefined ? undefined : faults.collect(() => copyJsonObject(value, { subject: path }));
}

function readPending(problems: OptionProblems, value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  problems.add(path, "must be true or false");
  return undefined;
}

function readDurability(problems: OptionProblems, value: unknown, path: string): "default" | "relaxed" | undefined {
  if (value === undefined || value === "default" || value === "relaxed") return value;
  problems.add(path, 'must be "default" or "relaxed"');
  return undefined;
}

/** A job that has been checked and encoded: all that is left is to write it. */
import type { InsertDurability } from "../definition/insert-options.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import type { JobToInsert } from "../driver/insert-jobs.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { InsertContext, InsertRequest } from "./insert-context.ts";

/** See the file header. */
export interface PreparedJob {
  readonly definition: JobDefinition;
  readonly row: JobToInsert;
  readonly args: JsonObject;
  readonly metadata: JsonObject;
  /** The given time, otherwise that of the call. */
  readonly scheduledAt: Temporal.Instant;
  readonly durability: InsertDurability;
}

/** What hooks and middleware see of `jobs`. */
export function insertContextOf(operation: InsertContext["operation"], jobs: readonly PreparedJob[]): InsertContext {
  return Object.freeze({ operation, requests: Object.freeze(jobs.map(requestOf)) });
}

function requestOf({ definition, row, args, metadata, scheduledAt }: PreparedJob): InsertRequest {
  const { kind, queue, priority, maxAttempts, state, tags } = row;
  const unique = row.uniqueKey !== null;
  return Object.freeze({
    definition,
    kind,
    queue,
    args,
    metadata,
    priority,
    maxAttempts,
    scheduledAt,
    state,
    tags,
    unique,
  });
}

/** What hooks and middleware see of an insertion. They observe: what is stored has been decided before they run. */
import type { JobDefinition } from "../definition/job-definition.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { JobState } from "../model/job-state.ts";
import type { InsertResult } from "./insert-result.ts";

/** One call of `insert` or `insertMany`. Frozen. */
export interface InsertContext {
  /** Periodic jobs count as `insertMany`. */
  readonly operation: "insert" | "insertMany";
  /** In the order of the call. */
  readonly requests: readonly InsertRequest[];
}

/** One job about to be inserted: checked, options resolved. Frozen. */
export interface InsertRequest {
  readonly definition: JobDefinition | undefined;
  readonly kind: string;
  readonly queue: string;
  /** A copy of what will be stored. */
  readonly args: JsonObject;
  /** A copy of what will be stored. */
  readonly metadata: JsonObject;
  readonly priority: number;
  readonly maxAttempts: number;
  /** The given time, otherwise that of the call by this process's clock. */
  readonly scheduledAt: Temporal.Instant;
  readonly state: JobState;
  readonly tags: readonly string[];
  readonly unique: boolean;
}

/**
 * Wraps insertions. Calls `next` exactly once, which runs what lies further inside and resolves to one result per request,
 * and returns the results. An error, also after `next()`, rolls the insertion back unless it runs in a caller's
 * transaction.
 */
export type InsertMiddleware = (
  context: InsertContext,
  next: () => Promise<InsertResult[]>,
) => InsertResult[] | PromiseLike<InsertResult[]>;

/** Hooks around insertions; they run inside the innermost middleware. An error has the effect of one in middleware. */
export interface InsertHooks {
  /** Before the jobs are written. */
  beforeInsert?(context: InsertContext): PromiseLike<void> | void;
  /** After the jobs are written and before the transaction commits. */
  afterInsert?(context: InsertContext, results: readonly InsertResult[]): PromiseLike<void> | void;
}

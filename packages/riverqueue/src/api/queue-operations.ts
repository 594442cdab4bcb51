/** `client.queues`: the registry of queues. */
import type { TransactionOptions } from "../insert/transaction-options.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { QueueRow } from "../model/queue-row.ts";

/** One page of queues, by name. */
export interface QueueListOptions {
  /** `nextCursor` of the page before. */
  readonly after?: string | undefined;
  /** Rows per page, 1 to 10,000, default 100. */
  readonly limit?: number | undefined;
}

/** One page of queues. */
export interface QueueListResult {
  readonly queues: readonly QueueRow[];
  /** Pass as `after` for the next page; null when this page was not full. */
  readonly nextCursor: string | null;
}

/** What an update replaces. */
export interface QueueUpdateOptions {
  /** Replaces the stored metadata as a whole. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * Operations on queues. A missing row is null, and so is the result for `*`. Names are looked up as they are. Each throws
 * `ValidationError` for bad arguments and `DatabaseOperationError` when the database fails.
 */
export interface QueueOperations<Tx> {
  get(name: string, options?: TransactionOptions<Tx>): Promise<QueueRow | null>;
  list(options?: QueueListOptions & TransactionOptions<Tx>): Promise<QueueListResult>;
  /**
   * Stops claiming from a queue, or with `*` from all queues that have a row. Running attempts go on.
   *
   * Where another transaction holds the row of a queue it is waited for. With `*` the other queues are paused at once; after
   * 10 s of waiting the call fails with a retryable `DatabaseOperationError`. With `{ tx }` it waits without limit.
   */
  pause(name: string, options?: TransactionOptions<Tx>): Promise<QueueRow | null>;
  /** Ends the pause of a queue, or of all for `*`. Waits as `pause` does. */
  resume(name: string, options?: TransactionOptions<Tx>): Promise<QueueRow | null>;
  update(name: string, options: QueueUpdateOptions & TransactionOptions<Tx>): Promise<QueueRow | null>;
}

/** Verbs on the queue registry. Pause, resume and update send their notice in the same transaction. */
import type { LeaderTerm } from "../model/leader-term.ts";
import type { QueueRecord } from "../model/queue-row.ts";
import type { DriverCall } from "./call.ts";
import type { Refusals } from "./refusals.ts";

/** Queue verbs of a runtime driver. */
export interface QueuesFacet<Tx> {
  /** Creates the row or bumps only its `updated_at`; pause flag and metadata survive. */
  keepAlive(params: { readonly name: string }, call?: DriverCall<Tx>): Promise<QueueRecord>;
  get(params: { readonly name: string }, call?: DriverCall<Tx>): Promise<QueueRecord | null>;
  /** The rows of the named queues that exist, by name. */
  getMany(params: { readonly names: readonly string[] }, call?: DriverCall<Tx>): Promise<readonly QueueRecord[]>;
  /** By name ascending; `after` excludes that name and all before it. */
  list(
    params: { readonly after: string | null; readonly limit: number },
    call?: DriverCall<Tx>,
  ): Promise<readonly QueueRecord[]>;
  /** Sets `paused_at` unless set; `*` means every row. Null when a named queue is missing, and for `*`. */
  pause(params: { readonly name: string }, call?: DriverCall<Tx>): Promise<QueueRecord | null>;
  /** Clears `paused_at`; the same rules as for `pause`. */
  resume(params: { readonly name: string }, call?: DriverCall<Tx>): Promise<QueueRecord | null>;
  /** Replaces metadata (JSON text of an object; null leaves it and sends no notice) and bumps `updated_at`. */
  update(
    params: { readonly name: string; readonly metadata: string | null },
    call?: DriverCall<Tx>,
  ): Promise<QueueRecord | null>;
  /** Deletes rows not updated since `before`, by name; the count, or null when the term is over. */
  deleteExpired(params: DeleteQueuesParams, call?: DriverCall<Tx>): Promise<number | null>;
}

/** Deletion of queues that nobody has kept alive. */
export interface DeleteQueuesParams {
  readonly term: LeaderTerm;
  readonly before: Temporal.Instant;
  readonly limit: number;
  /** A row that the database refuses to delete costs only itself. */
  readonly refusals?: Refusals<string>;
}

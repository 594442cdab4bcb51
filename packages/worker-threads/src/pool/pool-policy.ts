/** Where a pool may differ from the plain one. */
import type { JobRow } from "riverqueue";
import type { InsertCall, ThreadFault } from "../protocol/messages.ts";
import type { ThreadAttempt } from "./thread-attempt.ts";

/** What is known of a thread between two attempts. */
export interface ThreadUse {
  /** Attempts that it has run. */
  readonly attempts: number;
  /** Milliseconds since it was started. */
  readonly ageMs: number;
  /** Bytes of heap in use after the latest attempt; 0 unless the policy reports them. */
  readonly heapBytes: number;
}

/** See the file header. The plain pool has none of it. */
export interface PoolPolicy {
  readonly reportsHeap: boolean;
  /** Whether a thread that is free now is to be replaced by a fresh one. */
  isSpent(use: ThreadUse): boolean;
  /** Attempts of a lower level get threads first. */
  levelOf(job: JobRow<unknown>): number;
  /** An attempt has ended: null when its handler was loaded and found, whatever that did. */
  onLoaded(attempt: ThreadAttempt, fault: ThreadFault | null): void;
  /** Inserts jobs for a handler; null when handlers get no client. */
  readonly insert: ((attempt: ThreadAttempt, items: readonly InsertCall[]) => Promise<string>) | null;
}

/** Threads are kept for as long as they work, and attempts get them in the order in which they came. */
export const PLAIN_POLICY: PoolPolicy = Object.freeze({
  reportsHeap: false,
  isSpent: () => false,
  levelOf: () => 0,
  onLoaded() {},
  insert: null,
});

/** Where a pool may differ from the plain one. */
import type { JobRow } from "riverqueue";
import type { InsertCall, ThreadFault, ThreadLimits } from "../protocol/messages.ts";
import type { ThreadAttempt } from "./thread-attempt.ts";

/** See the file header. The plain pool has none of it. */
export interface PoolPolicy {
  /** When a thread is replaced by a fresh one. */
  readonly limits: ThreadLimits;
  /** Whether attempts get threads in the order in which they came, so that the next ones can be given out early. */
  readonly isInOrder: boolean;
  /** Attempts of a lower level get threads first. */
  levelOf(job: JobRow<unknown>): number;
  /** An attempt has ended, or its thread has: null when its handler was loaded and found, whatever that did. */
  onLoaded(attempt: ThreadAttempt, fault: ThreadFault | null): void;
  /** Inserts jobs for a handler; null when handlers get no client. */
  readonly insert: ((attempt: ThreadAttempt, items: readonly InsertCall[]) => Promise<string>) | null;
}

/** Threads are kept for as long as they work, and attempts get them in the order in which they came. */
export const PLAIN_POLICY: PoolPolicy = Object.freeze({
  limits: Object.freeze({ attempts: Infinity, ageMs: Infinity, heapBytes: Infinity }),
  isInOrder: true,
  levelOf: () => 0,
  onLoaded() {},
  insert: null,
});

/** Waiting for a SQLite lock that another connection holds, without blocking the event loop. */
import { DatabaseOperationError } from "riverqueue/driver";

/** How long a lock is waited for, in milliseconds: another migrator may be rebuilding a large table. */
const LOCK_WAIT_MS = 60_000;

const LONGEST_PAUSE_MS = 50;

/** Time as the retries see it. */
export interface RetryTime {
  /** Milliseconds that only grow. */
  monotonic(): number;
  pause(ms: number): Promise<void>;
}

const systemTime: RetryTime = {
  monotonic: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Calls `attempt` until it resolves or fails with anything but a retryable `DatabaseOperationError`, for
 * {@link LOCK_WAIT_MS} in all; then rejects with the last error. Pauses grow to 50 ms and vary, so that those who wait
 * do not meet again.
 */
export async function retryWhileLocked<T>(attempt: () => Promise<T>, time: RetryTime = systemTime): Promise<T> {
  const deadline = time.monotonic() + LOCK_WAIT_MS;
  for (let longest = 4; ; longest = Math.min(longest * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      const locked = error instanceof DatabaseOperationError && error.retryable;
      if (!locked || time.monotonic() >= deadline) throw error;
    }
    await time.pause(longest * (0.5 + Math.random() / 2));
  }
}

/** Time as the runtime sees it. Production uses the system clock; tests put a clock of their own in its place. */

/** A timer that has been set. */
export interface Timer {
  /** Prevents the callback unless it has run; safe to call at any time. */
  cancel(): void;
}

/** Source of time and timers. Its timers never keep the process alive. */
export interface Clock {
  now(): Temporal.Instant;
  /** Milliseconds that only grow, for measuring. */
  monotonic(): number;
  /** Runs `callback` after `ms` milliseconds; delays beyond Node's limit of about 24.8 days are waited out in parts. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** Node's longest timer. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The clock of the machine. */
export const systemClock: Clock = Object.freeze({
  now: () => Temporal.Now.instant(),
  monotonic: () => performance.now(),
  setTimer(callback: () => void, ms: number): Timer {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const part = Math.min(left, LONGEST_TIMER_MS);
      handle = setTimeout(() => (left > part ? arm(left - part) : callback()), part);
      handle.unref();
    };
    arm(Math.max(0, ms));
    return { cancel: () => clearTimeout(handle) };
  },
});

/** Resolves after `ms` milliseconds of `clock`, or as soon as `signal` aborts; never rejects. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.setTimer(finish, ms);
    signal?.addEventListener("abort", finish, { once: true });
  });
}

/** How this package waits, so that tests can set the pace. */

/** Waiting and measuring. */
export interface Timing {
  /** Milliseconds that only grow. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms`; the function returned takes it back. */
  after(ms: number, callback: () => void): () => void;
}

/** The runtime's own timers. */
export const systemTiming: Timing = Object.freeze({
  monotonic: () => performance.now(),
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (signal?.aborted === true) done();
      else signal?.addEventListener("abort", done);
    });
  },
  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
});

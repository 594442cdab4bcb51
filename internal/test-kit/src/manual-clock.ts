/** A clock that moves only when told to; it has the shape of the core's `Clock`. */

interface ManualTimer {
  readonly dueMs: number;
  readonly callback: () => void;
}

interface PendingWait {
  readonly count: number;
  readonly resolve: () => void;
}

/** See the file header. */
export class ManualClock {
  readonly #start: Temporal.Instant;
  #elapsedMs = 0;
  /** In the order set, which is the order of those due at one time. */
  readonly #timers = new Set<ManualTimer>();
  #waits: PendingWait[] = [];

  /** A clock that stands at `start`. */
  constructor(start: Temporal.Instant | string = "2026-01-02T03:04:05.678Z") {
    this.#start = Temporal.Instant.from(start);
  }

  /** Where the clock stands, to the nanosecond. */
  now(): Temporal.Instant {
    return this.#start.add({ nanoseconds: Math.round(this.#elapsedMs * 1e6) });
  }

  /** Milliseconds by which the clock has been moved since it was made. */
  monotonic(): number {
    return this.#elapsedMs;
  }

  /** Has `callback` run by the `advance` that reaches or passes `ms` milliseconds from here. */
  setTimer(callback: () => void, ms: number): { cancel(): void } {
    const timer: ManualTimer = { dueMs: this.#elapsedMs + Math.max(0, ms), callback };
    this.#timers.add(timer);
    this.#wakeWaits();
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer is due, or null when none is set. */
  get nextDelayMs(): number | null {
    const next = this.#next();
    return next === undefined ? null : next.dueMs - this.#elapsedMs;
  }

  /** Resolves once at least `count` timers are set, which tells that the code under test has come to its wait. */
  whenPending(count: number): Promise<void> {
    if (this.pending >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waits.push({ count, resolve }));
  }

  /**
   * Moves the clock by `ms` and runs the timers that come due, in the order of their times, each at its own time.
   * Before each one, and at the end, promise reactions and a turn of the event loop have passed. A timer's error rejects.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsedMs + ms;
    for (;;) {
      await turn();
      const next = this.#next();
      if (next === undefined || next.dueMs > until) break;
      this.#timers.delete(next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.callback();
    }
    this.#elapsedMs = until;
    await turn();
  }

  #next(): ManualTimer | undefined {
    let next: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    }
    return next;
  }

  #wakeWaits(): void {
    const ready = this.#waits.filter(({ count }) => this.pending >= count);
    this.#waits = this.#waits.filter(({ count }) => this.pending < count);
    for (const { resolve } of ready) resolve();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

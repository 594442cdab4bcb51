/** The clock of one process among several that share a manual clock; freezing it is what SIGSTOP does to a process. */
import type { ManualClock } from "@riverqueue/internal-test-kit";
import type { Clock, Timer } from "../../../src/kit/clock.ts";

/** See the file header. */
export class FreezableClock implements Clock {
  readonly #shared: ManualClock;
  #held: (() => void)[] | null = null;

  constructor(shared: ManualClock) {
    this.#shared = shared;
  }

  now(): Temporal.Instant {
    return this.#shared.now();
  }

  monotonic(): number {
    return this.#shared.monotonic();
  }

  setTimer(callback: () => void, ms: number): Timer {
    let cancelled = false;
    const run = (): void => {
      if (!cancelled) callback();
    };
    const timer = this.#shared.setTimer(() => (this.#held ? this.#held.push(run) : run()), ms);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  /** Time goes on, but no timer fires. */
  freeze(): void {
    this.#held = [];
  }

  /** All timers that came due meanwhile fire at once. */
  thaw(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const run of held) run();
  }
}

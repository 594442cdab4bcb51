/** A pause that others can cut short. A ring before the pause is remembered, so none is missed; many count as one. */
import type { Clock } from "../kit/clock.ts";

/** See the file header. One sleeper at a time. */
export class Alarm {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the current pause, or else the next one at once. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Forgets a ring that nobody slept through. */
  reset(): void {
    this.#rung = false;
  }

  /** Resolves after `ms` milliseconds or at a ring, which is used up. */
  async sleep(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          timer.cancel();
          this.#wake = null;
          resolve();
        };
        const timer = this.#clock.setTimer(wake, ms);
        this.#wake = wake;
      });
    }
    this.#rung = false;
  }
}

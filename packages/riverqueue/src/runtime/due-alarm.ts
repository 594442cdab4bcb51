/**
 * Rings when a job that was stored `available` for a moment in the near future falls due, so that a retry or snooze runs
 * on time instead of at the next poll. Times are rounded up to a grid: many jobs share one ring and one timer.
 */
import type { Clock, Timer } from "../kit/clock.ts";

/** Width of the grid, in milliseconds. */
const GRID_MS = 20;

/** See the file header. */
export class DueAlarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  /** Points of the grid at which something is due, as numbers of grid widths since the epoch. */
  readonly #points: Set<number> = new Set();
  #next = Infinity;
  #timer: Timer | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings once at or shortly after `at`. */
  set(at: Temporal.Instant): void {
    const point = Math.ceil((at.epochMilliseconds + 1) / GRID_MS);
    if (this.#points.has(point)) return;
    this.#points.add(point);
    if (point < this.#next) this.#arm(point);
  }

  /** Rings no more. */
  cancel(): void {
    this.#timer?.cancel();
    this.#points.clear();
    this.#next = Infinity;
  }

  #arm(point: number): void {
    this.#timer?.cancel();
    this.#next = point;
    const wait = point * GRID_MS - this.#clock.now().epochMilliseconds;
    this.#timer = this.#clock.setTimer(() => this.#fire(), wait);
  }

  #fire(): void {
    const now = this.#clock.now().epochMilliseconds;
    let next = Infinity;
    for (const point of this.#points) {
      if (point * GRID_MS <= now) this.#points.delete(point);
      else next = Math.min(next, point);
    }
    this.#next = Infinity;
    this.#timer = null;
    this.#ring();
    if (next !== Infinity) this.#arm(next);
  }
}

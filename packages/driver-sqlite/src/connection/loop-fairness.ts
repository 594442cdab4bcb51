/**
 * Keeps the event loop turning. SQLite answers at once, so a program that awaits one insertion after another would never
 * come to the end of its microtasks: no timer, signal or other connection would get a turn.
 */
import { loopTurn } from "./loop-turn.ts";

/** How long units may follow each other without a turn, in milliseconds. */
const LONGEST_RUN_MS = 50;

/** See the file header. One for each connection. */
export class LoopFairness {
  /** When the first unit since the loop turned came; null when none has come yet. */
  #since: number | null = null;

  /** A promise to wait for before the next unit, or null when the loop has turned lately. */
  turnIfDue(): Promise<void> | null {
    const now = performance.now();
    if (this.#since === null) {
      this.#since = now;
      void loopTurn().then(() => (this.#since = null));
      return null;
    }
    return now - this.#since < LONGEST_RUN_MS ? null : loopTurn();
  }
}

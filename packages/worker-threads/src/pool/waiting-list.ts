/** Attempts that wait for a thread: by level, and within a level in the order in which they came. */
import type { ThreadAttempt } from "./thread-attempt.ts";

/** See the file header. */
export class WaitingList {
  /** Sets keep their order and forget in constant time. Sorted by level; levels are few and stay. */
  readonly #levels: { readonly level: number; readonly attempts: Set<ThreadAttempt> }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(attempt: ThreadAttempt): void {
    this.#of(attempt.level).add(attempt);
    this.#size++;
  }

  /** Takes the attempt whose turn it is off the list. */
  take(): ThreadAttempt | undefined {
    for (const { attempts } of this.#levels) {
      for (const attempt of attempts) {
        this.delete(attempt);
        return attempt;
      }
    }
    return undefined;
  }

  /** Whether the attempt was waiting. */
  delete(attempt: ThreadAttempt): boolean {
    const found = this.#of(attempt.level).delete(attempt);
    if (found) this.#size--;
    return found;
  }

  #of(level: number): Set<ThreadAttempt> {
    const known = this.#levels.find((one) => one.level === level);
    if (known !== undefined) return known.attempts;
    const attempts = new Set<ThreadAttempt>();
    this.#levels.push({ level, attempts });
    this.#levels.sort((a, b) => a.level - b.level);
    return attempts;
  }
}

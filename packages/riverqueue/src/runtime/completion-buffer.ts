/** Ends of attempts waiting to be persisted, oldest first. A batch never holds two ends of the same job. */
import type { AttemptEnd } from "./attempt-end.ts";

/** See the file header. */
export class CompletionBuffer {
  readonly #batchSize: number;
  readonly #lockedTries = new WeakMap<AttemptEnd, number>();
  #ends: AttemptEnd[] = [];

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  get size(): number {
    return this.#ends.length;
  }

  get hasFullBatch(): boolean {
    return this.#ends.length >= this.#batchSize;
  }

  push(end: AttemptEnd): void {
    this.#ends.push(end);
  }

  /** Puts ends back in front. */
  unshift(ends: readonly AttemptEnd[]): void {
    this.#ends = [...ends, ...this.#ends];
  }

  /** Removes and returns the next batch. */
  takeBatch(): AttemptEnd[] {
    const batch = this.#ends.splice(0, this.#batchSize);
    const ids = new Set<bigint>();
    const repeated: AttemptEnd[] = [];
    const distinct = batch.filter((end) => {
      if (ids.has(end.record.id)) repeated.push(end);
      else ids.add(end.record.id);
      return repeated.at(-1) !== end;
    });
    if (repeated.length > 0) this.unshift(repeated);
    return distinct;
  }

  /** Removes and returns everything. */
  takeAll(): AttemptEnd[] {
    return this.#ends.splice(0);
  }

  /** Counts one more encounter with a locked row; the number of encounters so far. */
  countLocked(end: AttemptEnd): number {
    const tries = (this.#lockedTries.get(end) ?? 0) + 1;
    this.#lockedTries.set(end, tries);
    return tries;
  }
}

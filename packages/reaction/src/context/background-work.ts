/** What an entry has left running, and the wait for it. */
export class BackgroundWork {
  readonly #left: Promise<unknown>[] = [];

  /** Work that never rejects, as `createWorkerCtx` hands it on. */
  add(work: Promise<unknown>): void {
    this.#left.push(work);
  }

  /** Resolves when nothing is left, what was added meanwhile included. */
  async settled(): Promise<void> {
    while (this.#left.length > 0) await Promise.all(this.#left.splice(0));
  }
}

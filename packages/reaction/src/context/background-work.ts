/** What an entry has left running, and the wait for it. */
import { systemTiming, type Timing } from "../kit/timing.ts";
import { within } from "../kit/within.ts";

/** How long it is waited for: work that never ends must not keep a message from being acknowledged. */
const PATIENCE_MS = 10_000;

/** See the file header. */
export class BackgroundWork {
  readonly #left: Promise<unknown>[] = [];
  readonly #timing: Timing;

  constructor(timing: Timing = systemTiming) {
    this.#timing = timing;
  }

  /** Work that never rejects, as `createWorkerCtx` hands it on. */
  add(work: Promise<unknown>): void {
    this.#left.push(work);
  }

  /** Resolves when nothing is left, what was added meanwhile included, and after ten seconds at the latest. */
  async settled(): Promise<void> {
    if (this.#left.length === 0) return;
    try {
      await within(this.#timing, PATIENCE_MS, () => this.#drained());
    } catch {
      // The time is up: what is left goes on by itself.
    }
  }

  async #drained(): Promise<void> {
    while (this.#left.length > 0) await Promise.all(this.#left.splice(0));
  }
}

/** A wake-up that is remembered: any number of `set` calls before a wait make that wait return at once, once. */

/** See the file header. One waiter at a time. */
export class Latch {
  #set = false;
  #wake: (() => void) | null = null;

  /** Whether a wake-up is waiting to be taken. */
  get isSet(): boolean {
    return this.#set;
  }

  set(): void {
    this.#set = true;
    this.#wake?.();
  }

  /** Forgets a wake-up that is waiting. */
  clear(): void {
    this.#set = false;
  }

  /** Resolves when set, or when `signal` aborts, and clears it. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (!this.#set && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#wake = null;
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        this.#wake = wake;
        signal?.addEventListener("abort", wake, { once: true });
      });
    }
    this.#set = false;
  }
}

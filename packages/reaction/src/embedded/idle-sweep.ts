/**
 * Sweeps in a process that works no event just then, so that overdue events do not depend on who leads: the leader may be a
 * client that knows nothing of them. A process that is never found idle sweeps all the same, half as often.
 */
import type { Reaction } from "../processor/create-reaction.ts";
import type { MessageWorker } from "./message-worker.ts";

/** See the file header. */
export class IdleSweep {
  #timer: NodeJS.Timeout | null = null;
  #sweeping = false;
  /** The last time it was put off because there was something to work. */
  #putOff = false;

  start(worker: MessageWorker, reaction: Reaction, intervalMs: number): void {
    this.stop();
    this.#timer = setInterval(() => void this.#sweep(worker, reaction), Math.max(1, intervalMs));
    // It is no reason for a process to live on.
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #sweep(worker: MessageWorker, reaction: Reaction): Promise<void> {
    if (this.#sweeping) return;
    this.#putOff = !this.#putOff && !worker.isIdle;
    if (this.#putOff) return;
    this.#sweeping = true;
    try {
      const { ctx, settled } = worker.entry("scheduled");
      await reaction.processor.sweep(ctx);
      await settled();
    } finally {
      this.#sweeping = false;
    }
  }
}

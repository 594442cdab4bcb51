/**
 * Sweeps in a process that has nothing else to do, so that overdue events do not depend on who leads: the leader may be a
 * client that knows nothing of them.
 */
import type { Reaction } from "../processor/create-reaction.ts";
import type { MessageWorker } from "./message-worker.ts";

/** See the file header. */
export class IdleSweep {
  #timer: NodeJS.Timeout | null = null;
  #sweeping = false;

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
    if (this.#sweeping || !worker.isIdle) return;
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

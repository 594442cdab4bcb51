/**
 * Keeps a lease while an attempt runs: renews it at a third of its length, and aborts the attempt's signal when it is lost
 * or could not be renewed until it ran out.
 */
import type { Timing } from "../kit/timing.ts";
import { within } from "../kit/within.ts";
import type { LeaseHolder, ReactionStore } from "../seam/reaction-store.ts";

/** Without a reason each abort would make an exception, with its stack. */
const OVER = "over";

/** Why a signal was aborted. */
export type AbortCode = "lease_lost" | "timeout";

/** See the file header. */
export class LeaseKeeper {
  readonly holder: LeaseHolder;
  readonly #store: Pick<ReactionStore, "renewLease">;
  readonly #timing: Timing;
  readonly #leaseMs: number;
  readonly #attempt = new AbortController();
  readonly #stopped = new AbortController();
  /** By the monotonic clock: surely not later than the store's own time for it. */
  #expiresAt: number;
  #abortCode: AbortCode | null = null;

  /** @param takenAt - monotonic time before the lease was asked for. */
  constructor(
    store: Pick<ReactionStore, "renewLease">,
    timing: Timing,
    lease: { readonly holder: LeaseHolder; readonly leaseMs: number; readonly takenAt: number },
  ) {
    this.#store = store;
    this.#timing = timing;
    this.holder = lease.holder;
    this.#leaseMs = lease.leaseMs;
    this.#expiresAt = lease.takenAt + lease.leaseMs;
    void this.#keep();
  }

  /** The attempt's. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** Why the signal has been aborted; null while it has not. */
  get abortCode(): AbortCode | null {
    return this.#abortCode;
  }

  /** Milliseconds that the lease surely lasts; not positive when it may have run out. */
  get remainingMs(): number {
    return this.#abortCode === "lease_lost" ? 0 : this.#expiresAt - this.#timing.monotonic();
  }

  /** Aborts the attempt. */
  abort(code: AbortCode): void {
    if (this.#abortCode === null) {
      this.#abortCode = code;
      this.#attempt.abort(
        new DOMException(`the command was aborted: ${code}`, code === "timeout" ? "TimeoutError" : "AbortError"),
      );
    } else if (code === "lease_lost") {
      this.#abortCode = code;
    }
  }

  /** Renews no more. */
  stop(): void {
    this.#stopped.abort(OVER);
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopped;
    for (let askedAt = this.#timing.monotonic(); ;) {
      const dueInMs = Math.min(askedAt + this.#leaseMs / 3 - this.#timing.monotonic(), this.remainingMs);
      await this.#timing.pause(Math.max(0, dueInMs), signal);
      if (signal.aborted) return;
      askedAt = this.#timing.monotonic();
      if (!(await this.#renew())) return signal.aborted ? undefined : this.abort("lease_lost");
    }
  }

  /** False when the lease is lost, or has run out without an answer. */
  async #renew(): Promise<boolean> {
    const askedAt = this.#timing.monotonic();
    try {
      // The last try begins when the lease may have run out; by the store's clock it may not have.
      const limitMs = Math.max(this.#leaseMs / 30, Math.min(this.#leaseMs / 3, this.remainingMs));
      const isHeld = await within(this.#timing, limitMs, () => this.#store.renewLease(this.holder, this.#leaseMs));
      if (!isHeld) return false;
      this.#expiresAt = askedAt + this.#leaseMs;
      return true;
    } catch {
      return this.remainingMs > 0;
    }
  }
}

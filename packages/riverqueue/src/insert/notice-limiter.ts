/**
 * Keeps a client from sending more than one insert notice per queue and cool-down, whoever inserts: the application, the
 * scheduler or periodic jobs. Producers claim at most once per cool-down anyway; what was suppressed is found by polling.
 */
import type { Notice } from "../driver/notice.ts";
import { insertNotice } from "../driver/notice.ts";
import type { Clock } from "../kit/clock.ts";

/** Queues remembered at once; beyond it the longest notified is forgotten and may be notified early. */
const QUEUE_LIMIT = 10_000;

/** See the file header. */
export class NoticeLimiter {
  readonly #clock: Clock;
  readonly #cooldownMs: number;
  /** When each queue was last decided for, oldest first. */
  readonly #notifiedAt = new Map<string, number>();

  /** @param cooldownMs - the client's `fetchCooldown`, whatever its queues set */
  constructor(clock: Clock, cooldownMs: number) {
    this.#clock = clock;
    this.#cooldownMs = cooldownMs;
  }

  /**
   * Notices for those of `queues` that are due one, which uses up their turn even if they are never sent. Repeats are
   * harmless.
   */
  noticesFor(queues: Iterable<string>): Notice[] {
    const now = this.#clock.monotonic();
    this.#forgetBefore(now - this.#cooldownMs);
    const notices: Notice[] = [];
    for (const queue of queues) {
      if (this.#notifiedAt.has(queue)) continue;
      this.#notifiedAt.set(queue, now);
      notices.push(insertNotice(queue));
    }
    this.#forgetExcess();
    return notices;
  }

  /** Exactly one cool-down later is still suppressed, as in River for Go. */
  #forgetBefore(horizon: number): void {
    for (const [queue, at] of this.#notifiedAt) {
      if (at >= horizon) return;
      this.#notifiedAt.delete(queue);
    }
  }

  #forgetExcess(): void {
    for (const queue of this.#notifiedAt.keys()) {
      if (this.#notifiedAt.size <= QUEUE_LIMIT) return;
      this.#notifiedAt.delete(queue);
    }
  }
}

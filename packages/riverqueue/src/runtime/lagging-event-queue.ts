/** Events waiting for a reader that may be slow. Bounded: the oldest make room, and one event tells how many went. */
import { SubscriptionLagError } from "../model/errors/subscription-lag-error.ts";
import type { RiverEvent } from "../model/river-event.ts";

/** See the file header. */
export class LaggingEventQueue {
  readonly #capacity: number;
  readonly #now: () => Temporal.Instant;
  /** Events from `#head` on; what is before has been read. */
  #events: (RiverEvent | undefined)[] = [];
  #head = 0;
  #dropped = 0;

  constructor(capacity: number, now: () => Temporal.Instant) {
    this.#capacity = capacity;
    this.#now = now;
  }

  push(event: RiverEvent): void {
    if (this.#events.length - this.#head >= this.#capacity) {
      this.#takeOldest();
      this.#dropped += 1;
    }
    this.#events.push(event);
  }

  /** The next event, first of all the notice of dropped ones, which were before all that are left. */
  shift(): RiverEvent | undefined {
    if (this.#dropped === 0) return this.#takeOldest();
    const dropped = this.#dropped;
    this.#dropped = 0;
    const error = new SubscriptionLagError(dropped);
    return Object.freeze({ kind: "subscription_lag", at: this.#now(), dropped, error });
  }

  clear(): void {
    this.#events = [];
    this.#head = 0;
    this.#dropped = 0;
  }

  #takeOldest(): RiverEvent | undefined {
    const event = this.#events[this.#head];
    if (event === undefined) return undefined;
    this.#events[this.#head] = undefined;
    this.#head += 1;
    if (this.#head * 2 >= this.#events.length) {
      // Moving the rest only now makes taking one cheap on average, however many wait.
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }
}

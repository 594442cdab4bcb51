/**
 * Timers of attempts. Most attempts have the same timeout and end long before it, so there is one list per length of
 * time, in order of expiry, with one timer for its head; arming and disarming touch no timer.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock, Timer } from "../kit/clock.ts";

type OutsideContext = (body: () => void) => void;

/** An armed deadline. */
export interface Deadline {
  /** Prevents the callback unless it has run. */
  disarm(): void;
}

/** See the file header. */
export class AttemptDeadlines {
  readonly #clock: Clock;
  readonly #lists: Map<number, DeadlineList> = new Map();
  readonly #outside: OutsideContext = AsyncLocalStorage.snapshot();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `callback` after `ms` milliseconds. */
  arm(ms: number, callback: () => void): Deadline {
    let list = this.#lists.get(ms);
    if (list === undefined) this.#lists.set(ms, (list = new DeadlineList(this.#clock, ms, this.#outside)));
    return list.arm(callback);
  }

  /** Lets go of the timers, once all attempts have ended. */
  close(): void {
    for (const list of this.#lists.values()) list.close();
  }
}

/** Deadlines of one length: a ring around a sentinel, earliest first. */
class DeadlineList {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #ring: DeadlineNode = new DeadlineNode(0, () => {});
  /**
   * Sets timers in the context of the list's maker. In that of the attempt which happens to arm them they would keep it
   * alive, and other attempts would time out in its context.
   */
  readonly #outside: OutsideContext;
  /** Set while there may be a head to wait for. */
  #timer: Timer | null = null;

  constructor(clock: Clock, ms: number, outside: OutsideContext) {
    this.#clock = clock;
    this.#ms = ms;
    this.#outside = outside;
  }

  arm(callback: () => void): Deadline {
    const node = new DeadlineNode(this.#clock.monotonic() + this.#ms, callback);
    node.insertBefore(this.#ring);
    // A timer that is left over from an earlier head fires too early at worst, and then waits for the present head.
    if (this.#timer === null) this.#tick(this.#ms);
    return node;
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  readonly #expire = (): void => {
    const now = this.#clock.monotonic();
    let head = this.#ring.next;
    while (head !== this.#ring && head.due <= now) {
      head.disarm();
      head.callback();
      head = this.#ring.next;
    }
    this.#timer = null;
    if (head !== this.#ring) this.#tick(head.due - now);
  };

  #tick(ms: number): void {
    this.#outside(() => {
      this.#timer = this.#clock.setTimer(this.#expire, ms);
    });
  }
}

class DeadlineNode implements Deadline {
  readonly due: number;
  readonly callback: () => void;
  next: DeadlineNode = this;
  #previous: DeadlineNode = this;

  constructor(due: number, callback: () => void) {
    this.due = due;
    this.callback = callback;
  }

  insertBefore(node: DeadlineNode): void {
    this.next = node;
    this.#previous = node.#previous;
    node.#previous.next = this;
    node.#previous = this;
  }

  disarm(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
    this.next = this;
    this.#previous = this;
  }
}

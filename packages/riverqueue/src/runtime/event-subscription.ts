/** One reader of a client's events: a bounded queue that is also an async iterator. Emitting never waits for it. */
import type { EventSubscription } from "../api/event-subscription.ts";
import type { RiverEvent, RiverEventKind } from "../model/river-event.ts";
import { LaggingEventQueue } from "./lagging-event-queue.ts";

/** What a subscription needs from whoever opens it. */
export interface QueuedEventSubscriptionParams {
  /** Null: every kind. */
  readonly kinds: ReadonlySet<RiverEventKind> | null;
  readonly capacity: number;
  readonly signal: AbortSignal | undefined;
  readonly now: () => Temporal.Instant;
  /** Called once when the subscription takes no more events. */
  readonly onEnd: (subscription: QueuedEventSubscription) => void;
}

type Waiter = (result: IteratorResult<RiverEvent, undefined>) => void;

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/** See the file header. */
export class QueuedEventSubscription implements EventSubscription {
  /** Kinds it wants, null for every kind. */
  readonly kinds: ReadonlySet<RiverEventKind> | null;
  readonly #queue: LaggingEventQueue;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: (subscription: QueuedEventSubscription) => void;
  readonly #onAbort: () => void = () => this.close();
  #waiters: Waiter[] = [];
  #ended = false;

  constructor({ kinds, capacity, signal, now, onEnd }: QueuedEventSubscriptionParams) {
    this.kinds = kinds;
    this.#queue = new LaggingEventQueue(capacity, now);
    this.#signal = signal;
    this.#onEnd = onEnd;
    if (signal?.aborted) this.end();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Whether it takes no more events; queued ones may be left. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Takes an event unless its kind is not wanted. */
  push(event: RiverEvent): void {
    if (this.#ended || (this.kinds !== null && !this.kinds.has(event.kind))) return;
    const waiter = this.#waiters.shift();
    if (waiter) waiter({ done: false, value: event });
    else this.#queue.push(event);
  }

  /** Ends the stream after what is queued. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#onEnd(this);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter(DONE);
  }

  next(): Promise<IteratorResult<RiverEvent, undefined>> {
    const event = this.#queue.shift();
    if (event) return Promise.resolve({ done: false, value: event });
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  close(): void {
    this.#queue.clear();
    this.end();
  }

  /** Called by a loop that is left early. */
  return(): Promise<IteratorResult<RiverEvent, undefined>> {
    this.close();
    return Promise.resolve(DONE);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Subscriptions to a client's events. */
import type { RiverEvent, RiverEventKind, SubscriptionLagEvent } from "../model/river-event.ts";

/** The events of the named kinds, and always the notice of lost events. */
export type SubscribedEvent<Kind extends RiverEventKind = RiverEventKind> =
  | (RiverEvent & { readonly kind: Kind })
  | SubscriptionLagEvent;

/** Options of a subscription. */
export interface SubscribeOptions<Kind extends RiverEventKind = RiverEventKind> {
  /** Kinds to deliver; all unless given. */
  readonly kinds?: readonly Kind[] | undefined;
  /** Events held for a slow reader, 1 to 1,000,000, default 256; beyond it the oldest are dropped. */
  readonly capacity?: number | undefined;
  /** Closes the subscription when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A stream of events. Reading never slows the client down; what a slow reader misses is reported by one
 * `subscription_lag` event. It ends when closed, when the client has stopped, or when its signal aborts.
 */
export interface EventSubscription<Event extends RiverEvent = RiverEvent> extends AsyncIterableIterator<
  Event,
  undefined,
  void
> {
  next(): Promise<IteratorResult<Event, undefined>>;
  /** Ends the stream; events not read yet are discarded. A second call does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
  [Symbol.asyncIterator](): EventSubscription<Event>;
}

/**
 * Gives events and metrics of one client to everybody who listens: subscriptions, hooks, diagnostics channels. Nobody
 * who listens can hold up or break whoever emits. Events are news, never the truth: that is in the database.
 */
import type { EventSubscription, SubscribedEvent, SubscribeOptions } from "../api/event-subscription.ts";
import type { JobTally } from "../fleet/job-tally.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import type { RiverEvent, RiverEventKind } from "../model/river-event.ts";
import type { RiverMetric } from "../model/river-metric.ts";
import { eventChannel, metricChannel } from "./diagnostics-channels.ts";
import { type EventHook, EventHookPump } from "./event-hook-pump.ts";
import { QueuedEventSubscription } from "./event-subscription.ts";
import { readSubscribeOptions } from "./read-subscribe-options.ts";

/** An `onMetric` hook. It runs while jobs wait, so it must not block; a promise it returns is not waited for. */
export type MetricHook = (metric: RiverMetric) => unknown;

/** What a hub is made of. */
export interface EventHubParams {
  readonly environment: Pick<Environment, "clock">;
  /** Hooks in the order in which they are called. */
  readonly extensions: { readonly onEvent: readonly EventHook[]; readonly onMetric: readonly MetricHook[] };
  /** Must not throw. */
  readonly logger: Logger;
}

/** See the file header. */
export class EventHub {
  readonly #now: () => Temporal.Instant;
  readonly #logger: Logger;
  readonly #hooks: EventHookPump;
  readonly #onMetric: readonly MetricHook[];
  readonly #subscriptions = new Set<QueuedEventSubscription>();
  /** Who counts jobs; no event is built for it. Null when nobody does. */
  tally: JobTally | null = null;
  #metricFailures = 0;
  #closed = false;

  constructor({ environment, extensions, logger }: EventHubParams) {
    this.#now = () => environment.clock.now();
    this.#logger = logger;
    this.#hooks = new EventHookPump(extensions.onEvent, logger, this.#now);
    this.#onMetric = extensions.onMetric;
  }

  /** Calls of `onEvent` and `onMetric` hooks that failed so far. */
  get hookFailures(): number {
    return this.#hooks.failures + this.#metricFailures;
  }

  /** Whether the calling code belongs to an `onEvent` hook that is under way, for which `close` would wait. */
  get isHookCaller(): boolean {
    return this.#hooks.isRunningCaller;
  }

  /** Whether anybody gets events of `kind`; if not, the event need not be built. */
  wanted(kind: RiverEventKind): boolean {
    if (this.#closed) return false;
    if (this.#hooks.isWanted || eventChannel.hasSubscribers) return true;
    for (const { kinds } of this.#subscriptions) if (kinds === null || kinds.has(kind)) return true;
    return false;
  }

  /** Whether anybody gets metrics. */
  get metricsWanted(): boolean {
    return !this.#closed && (this.#onMetric.length > 0 || metricChannel.hasSubscribers);
  }

  /** Hands an event to all who want it. It is frozen, because they share it. */
  emit(event: RiverEvent): void {
    if (this.#closed) return;
    Object.freeze(event);
    for (const subscription of this.#subscriptions) subscription.push(event);
    this.#hooks.push(event);
    if (eventChannel.hasSubscribers) eventChannel.publish(event);
    this.tally?.happened(event);
  }

  /** Hands a metric to all who want it, hooks at once. */
  metric(metric: RiverMetric): void {
    if (this.#closed) return;
    Object.freeze(metric);
    for (const hook of this.#onMetric) this.#callMetricHook(hook, metric);
    if (metricChannel.hasSubscribers) metricChannel.publish(metric);
  }

  /**
   * Opens a stream of the events from now on; one that has ended when the hub is closed.
   *
   * @throws ValidationError for bad options.
   */
  subscribe<const Kind extends RiverEventKind = RiverEventKind>(
    options: SubscribeOptions<Kind> = {},
  ): EventSubscription<SubscribedEvent<Kind>> {
    const subscription = new QueuedEventSubscription({
      ...readSubscribeOptions(options),
      now: this.#now,
      onEnd: (ended) => this.#subscriptions.delete(ended),
    });
    if (this.#closed) subscription.end();
    else if (!subscription.hasEnded) this.#subscriptions.add(subscription);
    // Only events of these kinds are pushed, and the notice of lost ones.
    return subscription as EventSubscription as EventSubscription<SubscribedEvent<Kind>>;
  }

  /**
   * Resolves when `onEvent` hooks have had every event. Then subscriptions end after what they have queued, and what is
   * emitted later goes nowhere.
   */
  async close(): Promise<void> {
    await this.#hooks.drain();
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription.end();
  }

  #callMetricHook(hook: MetricHook, metric: RiverMetric): void {
    const failed = (error: unknown): void => {
      this.#metricFailures += 1;
      this.#logger.error({ error, metric: metric.name, failures: this.#metricFailures }, "onMetric hook failed");
    };
    try {
      const result = hook(metric);
      if (isThenable(result)) result.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/**
 * Watches how late the event loop comes around, with Node's own histogram, and makes one observation an interval.
 *
 * The histogram is emptied between observations, which makes it forget the sample in progress and miss the next one.
 * Therefore the monitor takes two samples itself with timers of the same resolution: one that ends with the observation
 * and one that begins with it. So a delay around an observation is seen by one of them.
 */
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock, Timer } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { EventLoopDelayObservation } from "../model/river-event.ts";
import type { EventHub } from "./event-hub.ts";
import type { EventLoopDelaySettings } from "./event-loop-delay-options.ts";

/** What a monitor is made of. */
export interface EventLoopDelayMonitorParams {
  readonly settings: EventLoopDelaySettings;
  readonly environment: Pick<Environment, "clock">;
  /** Gets an event for each observation whose longest delay was longer than the threshold. */
  readonly hub: Pick<EventHub, "emit">;
}

const NS_PER_MS = 1_000_000;

/** See the file header. Holds nothing that keeps the process alive. */
export class EventLoopDelayMonitor {
  readonly #settings: EventLoopDelaySettings;
  readonly #clock: Clock;
  readonly #hub: Pick<EventHub, "emit">;
  readonly #histogram: ELDHistogram;
  #timer: Timer | null = null;
  /** Longest sample of the monitor's own since the latest observation, in nanoseconds. */
  #longestNs = 0;
  #latest: EventLoopDelayObservation | null = null;

  constructor({ settings, environment, hub }: EventLoopDelayMonitorParams) {
    this.#settings = settings;
    this.#clock = environment.clock;
    this.#hub = hub;
    this.#histogram = monitorEventLoopDelay({ resolution: settings.resolutionMs });
  }

  /** The latest observation; null before the first. */
  get latest(): EventLoopDelayObservation | null {
    return this.#latest;
  }

  start(): void {
    this.#histogram.enable();
    this.#beginInterval();
  }

  /** Ends monitoring; the latest observation stays. A second call does nothing. */
  stop(): void {
    this.#timer?.cancel();
    this.#histogram.disable();
  }

  #beginInterval(): void {
    const { reportIntervalMs, resolutionMs } = this.#settings;
    const sampleMs = Math.min(resolutionMs, reportIntervalMs / 2);
    this.#sample(sampleMs, () => {
      this.#timer = this.#clock.setTimer(
        () => this.#sample(sampleMs, () => this.#observe()),
        reportIntervalMs - 2 * sampleMs,
      );
    });
  }

  /** Measures how long a timer of `ms` takes. */
  #sample(ms: number, next: () => void): void {
    const begin = this.#clock.monotonic();
    this.#timer = this.#clock.setTimer(() => {
      this.#longestNs = Math.max(this.#longestNs, (this.#clock.monotonic() - begin) * NS_PER_MS);
      next();
    }, ms);
  }

  #observe(): void {
    const observation = this.#observation();
    this.#latest = observation;
    this.#histogram.reset();
    this.#longestNs = 0;
    this.#beginInterval();
    if (!observation.exceededThreshold) return;
    this.#hub.emit({ kind: "runtime_event_loop_delay", at: this.#clock.now(), eventLoopDelay: observation });
  }

  #observation(): EventLoopDelayObservation {
    const histogram = this.#histogram;
    const isEmpty = histogram.count === 0;
    const maxNs = isEmpty ? this.#longestNs : Math.max(histogram.max, this.#longestNs);
    return Object.freeze({
      max: durationOf(maxNs),
      mean: durationOf(isEmpty ? maxNs : histogram.mean),
      p99: durationOf(isEmpty ? maxNs : histogram.percentile(99)),
      exceededThreshold: maxNs > this.#settings.warningThresholdMs * NS_PER_MS,
    });
  }
}

function durationOf(ns: number): Temporal.Duration {
  return Temporal.Duration.from({ nanoseconds: Math.round(ns) }).round({ largestUnit: "seconds" });
}

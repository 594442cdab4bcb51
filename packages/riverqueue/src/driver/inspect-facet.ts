/** Figures for dashboards and probes. Each verb is bounded by a limit and a statement deadline. */
import type { JobState } from "../model/job-state.ts";

/**
 * Count of one state; `about` when counting stopped at the cap.
 *
 * @addition
 */
export interface StateCount {
  readonly state: JobState;
  readonly count: number;
  readonly about: boolean;
}

/**
 * Backlog of one queue.
 *
 * @addition
 */
export interface QueueDepth {
  readonly queue: string;
  /** Jobs that could be claimed now, up to the cap. */
  readonly available: number;
  readonly running: number;
  /** The counts stopped at the cap. */
  readonly about: boolean;
  /** Scheduled time of the job that has waited longest; null when none waits. */
  readonly oldestScheduledAt: Temporal.Instant | null;
}

/**
 * Jobs finalized within one minute.
 *
 * @addition
 */
export interface MinuteThroughput {
  readonly minute: Temporal.Instant;
  readonly completed: number;
  readonly cancelled: number;
  readonly discarded: number;
}

/**
 * Running jobs last claimed by one client.
 *
 * @addition
 */
export interface ClientLoad {
  readonly clientId: string;
  readonly running: number;
}

/** Bounds of an inspection. */
export interface InspectBounds {
  /** Rows looked at per figure. */
  readonly cap: number;
  /** Milliseconds for the whole verb. */
  readonly timeoutMs: number;
}

/** Inspection verbs of a runtime driver. */
export interface InspectFacet {
  counts(params: InspectBounds): Promise<readonly StateCount[]>;
  queues(params: InspectBounds & { readonly limit: number }): Promise<readonly QueueDepth[]>;
  throughput(params: InspectBounds & { readonly minutes: number }): Promise<readonly MinuteThroughput[]>;
  clients(params: InspectBounds & { readonly limit: number }): Promise<readonly ClientLoad[]>;
}

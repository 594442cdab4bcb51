/**
 * The eight states of a job, their finalized subset, and the bit of each state in `unique_states`.
 * The bit numbers are part of the shared storage protocol and never change.
 */

/** Every job state by its upper-case name. */
export const JOB_STATE: {
  readonly AVAILABLE: "available";
  readonly CANCELLED: "cancelled";
  readonly COMPLETED: "completed";
  readonly DISCARDED: "discarded";
  readonly PENDING: "pending";
  readonly RETRYABLE: "retryable";
  readonly RUNNING: "running";
  readonly SCHEDULED: "scheduled";
} = Object.freeze({
  AVAILABLE: "available",
  CANCELLED: "cancelled",
  COMPLETED: "completed",
  DISCARDED: "discarded",
  PENDING: "pending",
  RETRYABLE: "retryable",
  RUNNING: "running",
  SCHEDULED: "scheduled",
});

/** State of a job. `cancelled`, `completed` and `discarded` are finalized: nothing works such a job again by itself. */
export type JobState = (typeof JOB_STATE)[keyof typeof JOB_STATE];

/** All states in alphabetical order, which is also the order of their bits in a unique-state mask. */
export const JOB_STATES: readonly JobState[] = Object.freeze([
  "available",
  "cancelled",
  "completed",
  "discarded",
  "pending",
  "retryable",
  "running",
  "scheduled",
] as const);

/** The states in which `finalized_at` is set. */
export const FINALIZED_JOB_STATES: readonly JobState[] = Object.freeze([
  "cancelled",
  "completed",
  "discarded",
] as const);

/** Whether `value` is the name of a job state. */
export function isJobState(value: unknown): value is JobState {
  return JOB_STATES.includes(value as JobState);
}

/** Whether a job in `state` is finalized. */
export function isFinalizedState(state: JobState): boolean {
  return state === "cancelled" || state === "completed" || state === "discarded";
}

/** The mask of `states`: bit number = position in {@link JOB_STATES}, least significant first. Repeats are harmless. */
export function bitmaskOfStates(states: Iterable<JobState>): number {
  let mask = 0;
  for (const state of states) mask |= 1 << JOB_STATES.indexOf(state);
  return mask;
}

/** The states whose bits are set in `mask`, in alphabetical order. */
export function statesOfBitmask(mask: number): JobState[] {
  return JOB_STATES.filter((_, bit) => (mask & (1 << bit)) !== 0);
}

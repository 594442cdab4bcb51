/**
 * The database of a fleet as its parent and its members use it: the driver, and two tables beside the job's own. Members
 * write every call of their handler to `fleet_call` before the handler does anything; a trigger writes every change of a
 * job's state to `fleet_step`, whoever makes it.
 */
import type { RegisteredTransaction } from "riverqueue";
import type { RuntimeDriver } from "riverqueue/driver";
import type { AttemptEnd } from "./attempt-plan.ts";

/** One call of a handler. */
export interface FleetCall {
  /** Unique among all calls; the attempt also records it as metadata. */
  readonly token: string;
  readonly jobId: bigint;
  readonly attempt: number;
  readonly clientId: string;
  readonly end: AttemptEnd;
}

/** One change of a job's state. */
export interface FleetStep {
  readonly jobId: bigint;
  readonly from: string;
  readonly to: string;
  /** Attempt and client whose the job was: after a claim the new ones, else the ones before. */
  readonly attempt: number;
  readonly clientId: string | null;
  /** Whether the change counts one more rescue. */
  readonly rescued: boolean;
  /** Token in the job's metadata after the change. */
  readonly token: string | null;
}

/** A job at the end of the run. */
export interface FleetJob {
  readonly id: bigint;
  readonly state: string;
  readonly attempt: number;
  readonly errors: number;
  readonly token: string | null;
  readonly output: string | null;
}

/** Everything the audit needs, each list in the order of writing. */
export interface FleetRecord {
  readonly calls: readonly FleetCall[];
  readonly steps: readonly FleetStep[];
  readonly jobs: readonly FleetJob[];
}

/** See the file header. */
export interface FleetStore {
  /** A driver on it; the store closes it. */
  readonly driver: RuntimeDriver<RegisteredTransaction>;
  /** Creates tables and trigger. */
  setUp(): Promise<void>;
  /** Resolves when the calls are committed. */
  recordCalls(calls: readonly FleetCall[]): Promise<void>;
  /** Number of jobs in a state, or in any that is not final. */
  count(state: "running" | "unfinished"): Promise<number>;
  /** Has the lease of a leader that was killed end this soon, if it is the leader. */
  shortenLease(clientId: string, leftMs: number): Promise<void>;
  /** Connections that are in use. */
  lent(): number;
  read(): Promise<FleetRecord>;
  close(): Promise<void>;
}

/** Name of a database that a fleet can run on. */
export type FleetBackend = "postgres" | "sqlite";

/** The persisted record of one command of one event. */
import type { JsonValue } from "./json-value.ts";

/** Whether a command runs in the emitting call chain or by the consumer of `async-policy-task`. */
export type CommandMode = "async" | "sync";

/**
 * Where a command is.
 *
 * - `pending`: not tried yet. `running`: a lease is held, or was by a process that died.
 * - `retryable`: an attempt failed and another follows.
 * - `succeeded`, `failed`, `skipped` (the command it comes after failed): final.
 * - `needs_review`: its effect may have happened and nobody can tell; only an operator goes on from here.
 */
export type CommandStatus = "failed" | "needs_review" | "pending" | "retryable" | "running" | "skipped" | "succeeded";

/** Why an attempt failed. */
export interface CommandError {
  /**
   * As the handler gave it. Where it gave none: `exception`, `timeout`, `lease_lost`, `crashed`, `invalid_input` when the
   * schema refuses the stored input, `skipped` when the command it comes after has not succeeded.
   */
  readonly code: string;
  /** At most 2,000 characters; of what was thrown, name and message. Its stack is in the log of the attempt's context only. */
  readonly message: string;
}

/** One finished attempt. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly owner: string;
  readonly startedAt: Date;
  /** Null for one whose process died. */
  readonly finishedAt: Date | null;
  readonly outcome: "crashed" | "failed" | "succeeded";
  readonly error: CommandError | null;
}

/** The right to run a command, until it expires by the store's clock. */
export interface CommandLease {
  readonly owner: string;
  readonly takenAt: Date;
  readonly expiresAt: Date;
}

/** See the file header. */
export interface CommandExecution {
  /** Stable across attempts and redeliveries: handlers see it as `executionId`. */
  readonly id: string;
  readonly eventId: string;
  /** From 0, in the order in which the policy named the commands. */
  readonly position: number;
  readonly name: string;
  readonly mode: CommandMode;
  /** Name of the command that must not have failed, or null. */
  readonly after: string | null;
  readonly maxAttempts: number;
  /** Null once it was deleted by retention. */
  readonly input: JsonValue;
  readonly status: CommandStatus;
  /** Number of the latest attempt; 0 before the first. */
  readonly attempt: number;
  /** When a `retryable` command is due again. */
  readonly retryAt: Date | null;
  /** Set exactly while `running`. */
  readonly lease: CommandLease | null;
  readonly result: JsonValue;
  /** The handler had a result that could not be stored. */
  readonly resultDropped: boolean;
  /** Of the latest failed attempt. */
  readonly error: CommandError | null;
  /** Finished attempts, oldest first. */
  readonly attempts: readonly AttemptRecord[];
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Whether nothing happens to a command of this status any more unless an operator wants it. */
export function isSettled(status: CommandStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "skipped" || status === "needs_review";
}

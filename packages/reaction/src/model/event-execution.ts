/** The persisted record of one emitted event. */
import type { JsonValue } from "./json-value.ts";

/**
 * Where an event is: `pending` until its commands are handed over; `undispatched` when that failed, so that the sweeper
 * does it; `dispatched` when a message is on its way or was; `completed` when all commands succeeded; `failed` when all
 * are final and some failed.
 */
export type EventStatus = "completed" | "dispatched" | "failed" | "pending" | "undispatched";

/** See the file header. */
export interface EventExecution {
  readonly id: string;
  readonly type: string;
  /** Unique within the type. */
  readonly idempotencyKey: string;
  readonly version: number;
  /** As it was emitted; null once it was deleted by retention. */
  readonly payload: JsonValue;
  /** SHA-256 of the canonical JSON of the payload, in hexadecimal. Stays for ever. */
  readonly payloadHash: string;
  readonly status: EventStatus;
  /** How often the sweeper has sent for it. */
  readonly sweeps: number;
  /** When the sweeper looks next; null when it has nothing to do. */
  readonly nextSweepAt: Date | null;
  readonly occurredAt: Date;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

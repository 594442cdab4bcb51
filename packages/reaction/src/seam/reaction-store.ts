/**
 * Where events and commands are kept. Every verb is one atomic write, one read, or both as one. The store's own clock decides about
 * leases, sweeps and retries. What a verb throws counts as passing; a `StoredContentError` says that the value itself is
 * refused.
 */
import type { Alert, AlertSeverity } from "../model/alert.ts";
import type { CommandError, CommandExecution, CommandMode, CommandStatus } from "../model/command-execution.ts";
import type { EventExecution, EventStatus } from "../model/event-execution.ts";

/** An event to write, its commands in order. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly idempotencyKey: string;
  readonly version: number;
  /** JSON text. */
  readonly payload: string;
  readonly payloadHash: string;
  readonly occurredAt: Date;
  readonly commands: readonly NewCommand[];
  /** Milliseconds until the sweeper looks at it. */
  readonly sweepInMs: number;
  /** Send the event's message in the same transaction, where the store can. */
  readonly send: boolean;
}

/** A command to write, `pending`. */
export interface NewCommand {
  readonly id: string;
  readonly position: number;
  readonly name: string;
  readonly mode: CommandMode;
  readonly after: string | null;
  readonly maxAttempts: number;
  /** JSON text. */
  readonly input: string;
}

/** An event with its commands in declared order. */
export interface StoredEvent {
  readonly event: EventExecution;
  readonly commands: readonly CommandExecution[];
  /** The store's clock when it was read. */
  readonly now: Date;
}

/** What `createEvent` found or made. */
export interface CreatedEvent extends StoredEvent {
  /** False: an event of this type and key existed, and is what is returned. */
  readonly created: boolean;
}

/** An event to read, and what a lease of its first command is taken with. */
export interface OpenParams {
  readonly eventId: string;
  readonly owner: string;
  /** Names of commands that can be run here; no other is leased. The same list for every call, where it has not changed. */
  readonly names: readonly string[];
  readonly leaseMs: number;
  /** As for a lease, should one be taken. */
  readonly sweepInMs: number;
}

/** An event as it was before, and what was leased of it. */
export interface OpenedEvent extends StoredEvent {
  /** As leased; null when nothing was. */
  readonly leased: CommandExecution | null;
}

/** A lease to take. */
export interface LeaseParams {
  readonly eventId: string;
  readonly commandId: string;
  readonly owner: string;
  /** The attempt that was seen; the lease is refused when there has been another since. */
  readonly seenAttempt: number;
  readonly leaseMs: number;
  /** Milliseconds until the sweeper looks at the event. */
  readonly sweepInMs: number;
}

/** Names the holder of a lease: nothing is written for anybody else. */
export interface LeaseHolder {
  readonly eventId: string;
  readonly commandId: string;
  readonly owner: string;
  readonly attempt: number;
}

/** The end of one attempt. */
export interface SettleParams extends LeaseHolder {
  readonly status: Extract<CommandStatus, "failed" | "needs_review" | "retryable" | "succeeded">;
  /** JSON text, or null. */
  readonly result: string | null;
  readonly resultDropped: boolean;
  readonly error: CommandError | null;
  /** Milliseconds until a `retryable` command is due. */
  readonly retryInMs: number | null;
  /** Milliseconds until the sweeper looks at the event, should something be left to do. */
  readonly sweepInMs: number;
  /** Send the event's message in the same transaction, where the store can, should something be left to do. */
  readonly send: boolean;
  /**
   * The delivered message that this is part of: it is acknowledged in the same transaction, where the store can, should
   * nothing be left to do, so that no failure between the two has it delivered again.
   */
  readonly messageId?: string | undefined;
}

/** A decision about a command whose lease nobody holds. */
export interface DecideParams {
  readonly eventId: string;
  readonly commandId: string;
  /** As for a lease. */
  readonly seenAttempt: number;
  readonly status: Extract<CommandStatus, "failed" | "needs_review" | "skipped">;
  readonly error: CommandError | null;
  readonly sweepInMs: number;
  /** As for `settleCommand`. */
  readonly send: boolean;
  readonly messageId?: string | undefined;
}

/** A command as it was written, and what became of its event by that. */
export interface WrittenCommand {
  readonly command: CommandExecution;
  readonly eventStatus: EventStatus;
  /** Whether the event's message went out in the same transaction. */
  readonly sent: boolean;
}

/** An event that a sweep has won. */
export interface SweptEvent {
  readonly id: string;
  /** How often it has been swept, this time included. */
  readonly sweeps: number;
}

/** Which events to list. Absent members match everything. */
export interface EventFilter {
  readonly type?: string | undefined;
  readonly status?: EventStatus | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Created at or after. */
  readonly from?: Date | undefined;
  /** Created before. */
  readonly to?: Date | undefined;
  /** 1 to 500, default 50. */
  readonly limit?: number | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
}

/** Which commands to list. Absent members match everything. */
export interface CommandFilter {
  readonly name?: string | undefined;
  readonly status?: CommandStatus | undefined;
  readonly mode?: CommandMode | undefined;
  readonly eventId?: string | undefined;
  readonly eventType?: string | undefined;
  /** Of the event. */
  readonly idempotencyKey?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Which alerts to list. Absent members match everything. */
export interface AlertFilter {
  readonly eventId?: string | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** One page, newest first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

/** What an operator did. */
export interface OperatorAction {
  readonly id: string;
  readonly takenAt: Date;
  readonly actor: string;
  readonly action: "mark_done" | "redispatch" | "retry";
  readonly eventId: string;
  readonly commandId: string | null;
}

/** An action to take and record. */
export interface OperatorParams {
  readonly id: string;
  /** Who does it. */
  readonly actor: string;
}

/** What to delete. */
export interface RetentionParams {
  /** Payloads, inputs, results, errors and attempts of events that ended this long ago. */
  readonly contentAfterMs: number;
  /** Whole records of such events; null keeps them, and with them their keys, for ever. */
  readonly keysAfterMs: number | null;
  /** Alerts raised this long ago. */
  readonly alertsAfterMs: number;
  /** Events at most. */
  readonly limit: number;
}

/**
 * See the file header.
 *
 * @typeParam Tx - a transaction of the application that `createEvent` can join; `never` where there is none.
 */
export interface ReactionStore<Tx = unknown> {
  /**
   * Whether `send` and `messageId` have an effect: messages are then sent and acknowledged exactly when the write commits.
   */
  readonly sendsInTransaction: boolean;

  /**
   * Writes the event `pending` (`dispatched` when its message goes out with it) and its commands, or returns those that
   * have its type and key. With `tx` in that transaction, whose errors are thrown as they are.
   */
  createEvent(event: NewEvent, options?: { readonly tx?: Tx | undefined }): Promise<CreatedEvent>;
  readEvent(id: string): Promise<StoredEvent | null>;
  /**
   * Reads an event and leases, in the same write, the first command in run order that is left: if it is `pending` or
   * `retryable`, has an attempt left, comes after no other and is one of `names`. Anything else is for `leaseCommand`.
   */
  openEvent(params: OpenParams): Promise<OpenedEvent | null>;

  /**
   * Takes a command that is `pending`, `retryable`, or `running` with an expired lease: `running`, attempt + 1. An attempt
   * whose lease had expired is recorded as crashed. Null when somebody else was quicker.
   */
  leaseCommand(params: LeaseParams): Promise<CommandExecution | null>;
  /** Makes the lease last `leaseMs` from now. False when it is not held any more. */
  renewLease(holder: LeaseHolder, leaseMs: number): Promise<boolean>;
  /** Ends the holder's attempt and derives the event's status. Null, and nothing written, for anybody but the holder. */
  settleCommand(params: SettleParams): Promise<WrittenCommand | null>;
  /** Ends a command that nobody runs. Null when somebody took it meanwhile. */
  decideCommand(params: DecideParams): Promise<WrittenCommand | null>;

  /** Notes that the event's message was sent, or could not be. Leaves finished events alone. */
  markDispatched(eventIds: readonly string[], dispatched: boolean): Promise<void>;
  /** Puts the sweeper's next look at the event this far away, unless it has nothing to look for. */
  postponeSweep(eventId: string, sweepInMs: number): Promise<void>;
  /**
   * Wins at most `limit` events whose sweep is due, each by one compare-and-set: next sweep in 60 s × 2^sweeps, an hour at
   * most, sweeps + 1. Never those with nothing left but commands in review.
   */
  claimSweeps(limit: number): Promise<readonly SweptEvent[]>;
  /** Deletes what is old enough; resolves to the number of events it touched. */
  applyRetention(params: RetentionParams): Promise<number>;

  recordAlert(alert: Alert): Promise<void>;
  listEvents(filter: EventFilter): Promise<Page<EventExecution>>;
  listCommands(filter: CommandFilter): Promise<Page<CommandExecution>>;
  listAlerts(filter: AlertFilter): Promise<Page<Alert>>;
  /** Of one event, oldest first. */
  listActions(eventId: string): Promise<readonly OperatorAction[]>;

  /**
   * Makes a `failed` or `needs_review` command `pending` with at least one attempt left. Resolves to its event's id, or null
   * for any other command.
   *
   * @throws DeletedContentError, and nothing written, when the command's input has been deleted.
   */
  retryCommand(commandId: string, by: OperatorParams): Promise<string | null>;
  /** Makes a `needs_review` command `succeeded`. Resolves to its event's id, or null for any other command. */
  completeCommand(commandId: string, by: OperatorParams): Promise<string | null>;
  /** Records that the event is dispatched anew and makes its sweep due. False when nothing is left to do for it. */
  redispatchEvent(eventId: string, by: OperatorParams): Promise<boolean>;
}

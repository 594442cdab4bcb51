/** Events and commands in a SQL database: one implementation for every home, over its `SqlDatabase`. */
import type { Alert } from "../model/alert.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { EventExecution } from "../model/event-execution.ts";
import { StoredContentError } from "../model/stored-content-error.ts";
import type {
  AlertFilter,
  CommandFilter,
  CreatedEvent,
  DecideParams,
  EventFilter,
  LeaseHolder,
  LeaseParams,
  NewEvent,
  OpenedEvent,
  OpenParams,
  OperatorAction,
  OperatorParams,
  Page,
  ReactionStore,
  RetentionParams,
  SettleParams,
  StoredEvent,
  SweptEvent,
  WrittenCommand,
} from "../seam/reaction-store.ts";
import type { SqlDatabase } from "../seam/sql-database.ts";
import { createEvents } from "./create-event.ts";
import { leaseCommands, renewLeases } from "./lease-command.ts";
import { listActions, listAlerts, listCommands, listEvents } from "./listings.ts";
import { openEvents } from "./open-event.ts";
import { completeCommand, redispatchEvent, retryCommand } from "./operate.ts";
import { readStoredEvents } from "./read-event.ts";
import { decideCommand, settleCommands } from "./settle-command.ts";
import { SqlContext } from "./sql-context.ts";
import { runApart, type SqlStoreOptions, SqlTerms } from "./sql-terms.ts";
import { sql } from "./sql-text.ts";
import { applyRetention, claimSweeps, markDispatched, postponeSweep } from "./sweeps.ts";

/** See the file header. */
export class SqlReactionStore<Tx = unknown> implements ReactionStore<Tx> {
  readonly sendsInTransaction: boolean;
  readonly #context: SqlContext<Tx>;
  readonly #create: (event: NewEvent) => Promise<CreatedEvent>;
  readonly #read: (id: string) => Promise<StoredEvent | null>;
  readonly #open: (params: OpenParams) => Promise<OpenedEvent | null>;
  readonly #lease: (params: LeaseParams) => Promise<CommandExecution | null>;
  readonly #renew: (renewal: { readonly holder: LeaseHolder; readonly leaseMs: number }) => Promise<boolean>;
  readonly #settle: (params: SettleParams) => Promise<WrittenCommand | null>;

  /** @param database - with the tables of migration line `reaction`. */
  constructor(database: SqlDatabase<Tx>, options: SqlStoreOptions = {}) {
    this.sendsInTransaction = database.sendsInTransaction;
    const context = new SqlContext(database, new SqlTerms(database, options));
    this.#context = context;
    const { gather = runApart } = options;
    // The values of one call must not fail the others, and another transaction that holds a key must not hold them up.
    this.#create = gather((all) => createEvents(context, all), {
      keyOf: ({ id }) => id,
      isolates: (error) => context.terms.isPostgres || isolates(error),
    });
    this.#read = gather((ids) => readStoredEvents(context, ids), { keyOf: (id) => id, isolates });
    this.#open = gather((all) => openEvents(context, all), { keyOf: ({ eventId }) => eventId, isolates });
    this.#lease = gather((all: readonly LeaseParams[]) => leaseCommands(context, all), { keyOf, isolates });
    this.#renew = gather((all) => renewLeases(context, all), { keyOf: ({ holder }) => keyOf(holder), isolates });
    this.#settle = gather((all: readonly SettleParams[]) => settleCommands(context, all), { keyOf, isolates });
  }

  async createEvent(event: NewEvent, { tx }: { readonly tx?: Tx | undefined } = {}): Promise<CreatedEvent> {
    if (tx === undefined) return this.#create(event);
    const [created] = await createEvents(this.#context, [event], tx);
    return created as CreatedEvent;
  }

  readEvent(id: string): Promise<StoredEvent | null> {
    return this.#read(id);
  }

  openEvent(params: OpenParams): Promise<OpenedEvent | null> {
    return this.#open(params);
  }

  leaseCommand(params: LeaseParams): Promise<CommandExecution | null> {
    return this.#lease(params);
  }

  renewLease(holder: LeaseHolder, leaseMs: number): Promise<boolean> {
    return this.#renew({ holder, leaseMs });
  }

  settleCommand(params: SettleParams): Promise<WrittenCommand | null> {
    return this.#settle(params);
  }

  decideCommand(params: DecideParams): Promise<WrittenCommand | null> {
    return decideCommand(this.#context, params);
  }

  markDispatched(eventIds: readonly string[], dispatched: boolean): Promise<void> {
    return markDispatched(this.#context, eventIds, dispatched);
  }

  postponeSweep(eventId: string, sweepInMs: number): Promise<void> {
    return postponeSweep(this.#context, eventId, sweepInMs);
  }

  claimSweeps(limit: number): Promise<readonly SweptEvent[]> {
    return claimSweeps(this.#context, limit);
  }

  applyRetention(params: RetentionParams): Promise<number> {
    return applyRetention(this.#context, params);
  }

  async recordAlert(alert: Alert): Promise<void> {
    const { id, raisedAt, severity, code, message, eventId, commandId, queue, messageId } = alert;
    await this.#context.rows(sql`insert into ${this.#context.terms.alert}
      (id, raised_at, severity, code, message, event_id, command_id, queue, message_id)
      values (${id}, cast(${raisedAt.getTime()} as bigint), ${severity}, ${code}, ${message}, ${eventId}, ${commandId},
        ${queue}, ${messageId}) on conflict (id) do nothing`);
  }

  listEvents(filter: EventFilter): Promise<Page<EventExecution>> {
    return listEvents(this.#context, filter);
  }

  listCommands(filter: CommandFilter): Promise<Page<CommandExecution>> {
    return listCommands(this.#context, filter);
  }

  listAlerts(filter: AlertFilter): Promise<Page<Alert>> {
    return listAlerts(this.#context, filter);
  }

  listActions(eventId: string): Promise<readonly OperatorAction[]> {
    return listActions(this.#context, eventId);
  }

  retryCommand(commandId: string, by: OperatorParams): Promise<string | null> {
    return retryCommand(this.#context, commandId, by);
  }

  completeCommand(commandId: string, by: OperatorParams): Promise<string | null> {
    return completeCommand(this.#context, commandId, by);
  }

  redispatchEvent(eventId: string, by: OperatorParams): Promise<boolean> {
    return redispatchEvent(this.#context, eventId, by);
  }
}

function isolates(error: unknown): boolean {
  return error instanceof StoredContentError;
}

function keyOf({ commandId }: { readonly commandId: string }): string {
  return commandId;
}

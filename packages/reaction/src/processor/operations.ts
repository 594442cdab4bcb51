/** What operators see and do: the queries behind the pages `/dashboard/reaction/events` and `/dashboard/reaction/commands`. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { timeOrderedId } from "../kit/time-ordered-id.ts";
import type { Alert } from "../model/alert.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { EventExecution } from "../model/event-execution.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { AlertFilter, CommandFilter, EventFilter, OperatorAction, Page } from "../seam/reaction-store.ts";
import { policyTask } from "./policy-task.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { reviewMarkKey } from "./store-end.ts";

/** One event with everything about it. */
export interface EventDetails {
  readonly event: EventExecution;
  /** In declared order, each with its attempts, errors and lease. */
  readonly commands: readonly CommandExecution[];
  /** Newest first, at most 100. */
  readonly alerts: readonly Alert[];
  /** Of operators, oldest first. */
  readonly actions: readonly OperatorAction[];
}

/** Who does something. Recorded with the time. */
export interface OperatorOptions {
  readonly by: string;
}

const SHOWN_ALERTS = 100;

/** See the file header. Every action is recorded in the same write that carries it out. */
export class ReactionOperations {
  readonly #parts: ProcessorParts;

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
  }

  /** @throws ValidationError for a bad limit or cursor. */
  listEvents(filter: EventFilter = {}): Promise<Page<EventExecution>> {
    return this.#parts.store.listEvents(filter);
  }

  /** @throws ValidationError for a bad limit or cursor. */
  listCommands(filter: CommandFilter = {}): Promise<Page<CommandExecution>> {
    return this.#parts.store.listCommands(filter);
  }

  /** @throws ValidationError for a bad limit or cursor. */
  listAlerts(filter: AlertFilter = {}): Promise<Page<Alert>> {
    return this.#parts.store.listAlerts(filter);
  }

  /** Null when there is no such event. */
  async getEvent(eventId: string): Promise<EventDetails | null> {
    const { store } = this.#parts;
    const stored = await store.readEvent(eventId);
    if (stored === null) return null;
    const { event, commands } = stored;
    const { items: alerts } = await store.listAlerts({ eventId, limit: SHOWN_ALERTS });
    return { event, commands, alerts, actions: await store.listActions(eventId) };
  }

  /**
   * Runs a `failed` or `needs_review` command again, with one attempt more where none is left. False for any other.
   *
   * @throws ValidationError without a name for who does it; DeletedContentError for a command whose input was deleted by
   *   retention, which stays as it is.
   */
  async retryCommand(ctx: WorkerCtx, commandId: string, options: OperatorOptions): Promise<boolean> {
    const eventId = await this.#parts.store.retryCommand(commandId, this.#record(ctx, options));
    if (eventId === null) return false;
    await this.#parts.keyValue?.delete(reviewMarkKey(commandId));
    await this.#send(ctx, eventId);
    return true;
  }

  /**
   * Says that a `needs_review` command has had its effect. False for any other.
   *
   * @throws ValidationError without a name for who does it.
   */
  async markDone(ctx: WorkerCtx, commandId: string, options: OperatorOptions): Promise<boolean> {
    return (await this.#parts.store.completeCommand(commandId, this.#record(ctx, options))) !== null;
  }

  /**
   * Sends for an event at once. False when nothing is left to do for it.
   *
   * @throws ValidationError without a name for who does it.
   */
  async redispatchEvent(ctx: WorkerCtx, eventId: string, options: OperatorOptions): Promise<boolean> {
    if (!(await this.#parts.store.redispatchEvent(eventId, this.#record(ctx, options)))) return false;
    await this.#send(ctx, eventId);
    return true;
  }

  #record(ctx: WorkerCtx, { by }: OperatorOptions): { readonly id: string; readonly actor: string } {
    if (typeof by !== "string" || by.trim() === "" || by.length > 200) {
      throw new ValidationError("options.by must say who does it, in 1 to 200 characters");
    }
    return { id: timeOrderedId(ctx.now()), actor: by };
  }

  /** The sweep is due already, so a message that cannot be sent is only late. */
  async #send(ctx: WorkerCtx, eventId: string): Promise<void> {
    const { queue, store } = this.#parts;
    try {
      await queue.send([{ body: policyTask(eventId) }]);
      await store.markDispatched([eventId], true);
      await store.postponeSweep(eventId, this.#parts.settings.sweepAfterMs);
    } catch (error) {
      ctx.logger.warn({ error, eventId }, "a message could not be sent; the sweeper will");
    }
  }
}

/** What operators see and do: the queries behind the pages `/dashboard/reaction/events` and `/dashboard/reaction/commands`. */
import { assertWorkerCtx } from "../context/assert-worker-ctx.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import { timeOrderedId } from "../kit/time-ordered-id.ts";
import type { Alert } from "../model/alert.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { EventExecution } from "../model/event-execution.ts";
import type {
  AlertFilter,
  CommandFilter,
  EventFilter,
  OperatorAction,
  OperatorParams,
  Page,
} from "../seam/reaction-store.ts";
import { checkAlertFilter, checkCommandFilter, checkEventFilter } from "./check-filter.ts";
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

  /** @throws ValidationError for an unknown or bad member of the filter. */
  async listEvents(filter: EventFilter = {}): Promise<Page<EventExecution>> {
    return this.#parts.store.listEvents(checkEventFilter(filter));
  }

  /** @throws ValidationError for an unknown or bad member of the filter. */
  async listCommands(filter: CommandFilter = {}): Promise<Page<CommandExecution>> {
    return this.#parts.store.listCommands(checkCommandFilter(filter));
  }

  /** @throws ValidationError for an unknown or bad member of the filter. */
  async listAlerts(filter: AlertFilter = {}): Promise<Page<Alert>> {
    return this.#parts.store.listAlerts(checkAlertFilter(filter));
  }

  /**
   * Null when there is no such event.
   *
   * @throws ValidationError for an id that is no text.
   */
  async getEvent(eventId: string): Promise<EventDetails | null> {
    const { store } = this.#parts;
    const problems = new OptionProblems();
    problems.text(eventId, "eventId");
    problems.throwValidation();
    const stored = await store.readEvent(eventId);
    if (stored === null) return null;
    const { event, commands } = stored;
    const { items: alerts } = await store.listAlerts({ eventId, limit: SHOWN_ALERTS });
    return { event, commands, alerts, actions: await store.listActions(eventId) };
  }

  /**
   * Runs a `failed` or `needs_review` command again, with one attempt more where none is left. False for any other.
   *
   * @throws ValidationError for a wrong value, or without a name for who does it; DeletedContentError for a command whose
   *   input was deleted by retention, which stays as it is.
   */
  async retryCommand(ctx: WorkerCtx, commandId: string, options: OperatorOptions): Promise<boolean> {
    const record = readRecord(ctx, { commandId }, options);
    const eventId = await this.#parts.store.retryCommand(commandId, record);
    if (eventId === null) return false;
    await this.#unmark(ctx, commandId);
    await this.#send(ctx, eventId);
    return true;
  }

  /**
   * Says that a `needs_review` command has had its effect. False for any other.
   *
   * @throws ValidationError for a wrong value, or without a name for who does it.
   */
  async markDone(ctx: WorkerCtx, commandId: string, options: OperatorOptions): Promise<boolean> {
    const record = readRecord(ctx, { commandId }, options);
    return (await this.#parts.store.completeCommand(commandId, record)) !== null;
  }

  /**
   * Sends for an event at once. False when nothing is left to do for it.
   *
   * @throws ValidationError for a wrong value, or without a name for who does it.
   */
  async redispatchEvent(ctx: WorkerCtx, eventId: string, options: OperatorOptions): Promise<boolean> {
    const record = readRecord(ctx, { eventId }, options);
    if (!(await this.#parts.store.redispatchEvent(eventId, record))) return false;
    await this.#send(ctx, eventId);
    return true;
  }

  /** The retry is stored already: a mark that stays must not keep the command from being sent for. */
  async #unmark(ctx: WorkerCtx, commandId: string): Promise<void> {
    try {
      await this.#parts.keyValue?.delete(reviewMarkKey(commandId));
    } catch (error) {
      ctx.logger.warn({ error, commandId }, "the review mark of a retried command could not be deleted");
    }
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

/** One name and its id in `ids`. */
function readRecord(ctx: WorkerCtx, ids: Readonly<Record<string, string>>, options: OperatorOptions): OperatorParams {
  assertWorkerCtx(ctx);
  const problems = new OptionProblems();
  for (const [name, id] of Object.entries<unknown>(ids)) problems.text(id, name);
  const { by } = problems.object(options, "options", ["by"]);
  if (typeof by !== "string" || by.trim() === "" || by.length > 200) {
    problems.add("options.by", "must say who does it, in 1 to 200 characters");
  } else {
    problems.text(by, "options.by");
  }
  problems.throwValidation();
  return { id: timeOrderedId(ctx.now()), actor: options.by };
}

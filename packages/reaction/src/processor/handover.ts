/**
 * What follows the write of an event in the emitting call chain: its sync commands, then one message for what is left. A
 * store that sends in its own transactions does so with the write that ends the last sync command.
 */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { type CommandExecution, isSettled } from "../model/command-execution.ts";
import type { EventExecution } from "../model/event-execution.ts";
import type { StoredEvent } from "../seam/reaction-store.ts";
import { type CommandProgress, CommandRunner } from "./command-runner.ts";
import { policyTask } from "./policy-task.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { inRunOrder, isLeased, openCommands } from "./run-order.ts";
import { tryAgain } from "./try-again.ts";

/** How an event stands afterwards. */
export interface HandedOver {
  readonly event: EventExecution;
  readonly commands: readonly CommandExecution[];
  /** Why nothing was handed over; null when it was, or nothing had to be. */
  readonly error: unknown;
}

/** What is known of an event that was given up. */
export interface Abandoned {
  /** Null when no record was seen. */
  readonly eventId: string | null;
  /** Nobody knows whether there is a record. */
  readonly mayBeStored?: boolean;
}

/** See the file header. */
export class Handover {
  readonly #parts: ProcessorParts;
  readonly #runner: CommandRunner;

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
    this.#runner = new CommandRunner(parts);
  }

  /** Never rejects. `isNew`: the event is this call's own; otherwise it only helps along. */
  async run(ctx: WorkerCtx, stored: StoredEvent, isNew: boolean): Promise<HandedOver> {
    const sync = await this.#runSync(ctx, stored);
    const { event } = stored;
    if (sync.stale) return this.#asStored(ctx, event, sync);
    const wasOpen = isUnsent(event);
    const waiting = openCommands(sync.commands).filter(({ mode }) => mode === "async" || sync.failure !== null);
    const isOurs = isNew || sync.ended || event.status === "undispatched";
    if (waiting.length === 0 || sync.sent || sync.elsewhere || !wasOpen || !isOurs) {
      return { event: afterwards(event, sync), commands: sync.commands, error: null };
    }
    return this.#dispatch(ctx, event, sync.commands);
  }

  /** Logged and alerted. */
  async alertAbandoned(ctx: WorkerCtx, error: unknown, { eventId, mayBeStored = false }: Abandoned): Promise<void> {
    ctx.logger.error({ error, eventId }, "an event was abandoned");
    await this.#parts.alerts.raise(ctx, {
      severity: "high",
      code: "event_abandoned",
      message:
        eventId === null
          ? mayBeStored
            ? "an event was given up, and the store does not say whether it has it; if so, the sweeper hands it over"
            : "an event could not be stored and was given up"
          : "an event is stored and could not be handed over; the sweeper will do so",
      ...(eventId !== null && { eventId }),
    });
  }

  async #dispatch(ctx: WorkerCtx, event: EventExecution, commands: readonly CommandExecution[]): Promise<HandedOver> {
    const { queue, store, timing, settings } = this.#parts;
    let error: unknown = null;
    try {
      await tryAgain(timing, settings.emission, () => queue.send([{ body: policyTask(event.id) }]));
    } catch (thrown) {
      error = thrown;
      await this.alertAbandoned(ctx, thrown, { eventId: event.id });
    }
    const sent = error === null;
    try {
      await store.markDispatched([event.id], sent);
    } catch (thrown) {
      // Only a note: the sweeper goes by commands that are left.
      ctx.logger.warn({ error: thrown, eventId: event.id }, "the dispatch of an event could not be noted");
    }
    return { event: { ...event, status: sent ? "dispatched" : "undispatched" }, commands, error };
  }

  async #runSync(ctx: WorkerCtx, { event, commands, now }: StoredEvent): Promise<SyncProgress> {
    const progress = new SyncProgress(commands);
    for (const { id, mode } of inRunOrder(commands)) {
      const execution = progress.get(id);
      if (mode !== "sync" || openCommands([execution]).length === 0) continue;
      if (execution.status === "running") {
        // Whoever runs it goes on, also with what is declared after it; a lease that has run out is the consumer's to
        // take over.
        progress.elsewhere = isLeased(execution, now);
        break;
      }
      try {
        progress.note(await this.#runOne(ctx, event, execution, progress));
      } catch (error) {
        ctx.logger.error({ error, eventId: event.id, commandId: id }, "a sync command could not be run here");
        progress.failure = error;
      }
      if (progress.stale || progress.failure !== null) break;
    }
    return progress;
  }

  /**
   * Somebody else was quicker with a command: what it has come to there is what the caller wants to know. Where the sync
   * ones are done and nothing was sent, it is sent from here: whoever ended them may not be there any more.
   */
  async #asStored(ctx: WorkerCtx, event: EventExecution, sync: SyncProgress): Promise<HandedOver> {
    try {
      const stored = await this.#parts.store.readEvent(event.id);
      if (stored !== null) {
        const { event: now, commands } = stored;
        const left = openCommands(commands);
        const waits = left.length > 0 && left.every(({ mode }) => mode === "async") && isUnsent(now);
        if (waits) return await this.#dispatch(ctx, now, commands);
        return { event: now, commands, error: null };
      }
    } catch (error) {
      ctx.logger.warn({ error, eventId: event.id }, "an event could not be read again; the answer has it as it was");
    }
    return { event: afterwards(event, sync), commands: sync.commands, error: null };
  }

  async #runOne(
    ctx: WorkerCtx,
    event: EventExecution,
    execution: CommandExecution,
    { commands }: SyncProgress,
  ): Promise<CommandProgress> {
    const { registry, settings } = this.#parts;
    const command = await registry.find(execution.name, event, ctx.logger);
    if (command === undefined) throw new Error("no policy knows the command");
    const others = openCommands(commands).filter(({ id }) => id !== execution.id);
    return this.#runner.run(ctx, {
      command,
      execution,
      siblings: commands,
      attempts: execution.maxAttempts - execution.attempt,
      isFinal: true,
      send: others.length > 0 && others.every(({ mode }) => mode === "async") && event.status !== "dispatched",
      tries: settings.emission.tries,
      until: Infinity,
      storeUntil: Infinity,
    });
  }
}

function isUnsent({ status }: EventExecution): boolean {
  return status === "pending" || status === "undispatched";
}

/** What the sync commands have come to. */
class SyncProgress {
  readonly #byId: Map<string, CommandExecution>;
  /** The message went out with a write. */
  sent = false;
  /** A command is run by somebody else. */
  elsewhere = false;
  /** A lease was somebody else's: what is known of that command is from before. */
  stale = false;
  /** A command was ended here. */
  ended = false;
  /** Why a command could not be run here. */
  failure: unknown = null;

  constructor(commands: readonly CommandExecution[]) {
    this.#byId = new Map(commands.map((command) => [command.id, command]));
  }

  get commands(): readonly CommandExecution[] {
    return [...this.#byId.values()];
  }

  get(id: string): CommandExecution {
    return this.#byId.get(id) as CommandExecution;
  }

  note({ execution, sent, elsewhere }: CommandProgress): void {
    this.#byId.set(execution.id, execution);
    this.sent ||= sent;
    this.elsewhere ||= elsewhere;
    this.stale ||= elsewhere;
    this.ended ||= !elsewhere && isSettled(execution.status);
  }
}

/** The event as the writes of its commands have left it, without reading it again. */
function afterwards(event: EventExecution, { commands, sent }: SyncProgress): EventExecution {
  const finished = commands.every(({ status }) => ["succeeded", "failed", "skipped"].includes(status));
  if (!finished) return sent ? { ...event, status: "dispatched" } : event;
  const status = commands.some((command) => command.status === "failed") ? "failed" : "completed";
  const times = commands.flatMap(({ finishedAt }) => (finishedAt === null ? [] : [finishedAt.getTime()]));
  const finishedAt = event.finishedAt ?? (times.length === 0 ? null : new Date(Math.max(...times)));
  return { ...event, status, nextSweepAt: null, finishedAt };
}

/** Runs one command under its lease, as often as is allowed here, and says where it stands afterwards. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import type { Command } from "../definition/define-command.ts";
import { backOffMs } from "../kit/back-off.ts";
import type { CommandError, CommandExecution } from "../model/command-execution.ts";
import type { DecideParams, SettleParams, WrittenCommand } from "../seam/reaction-store.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { type AttemptEnd, runHandler } from "./run-handler.ts";
import { isMarkOf, reviewMarkKey, storeEnd, type StoredEnd } from "./store-end.ts";

/** How a command is to be run. */
export interface CommandRun {
  readonly command: Command;
  readonly execution: CommandExecution;
  /** A lease that is held already, for the first attempt. */
  readonly held?: HeldLease | undefined;
  /** The other commands of the event, as known so far. */
  readonly siblings: readonly CommandExecution[];
  /** Attempts to make here at most. */
  readonly attempts: number;
  /** Whether an attempt that fails as the last one here is the last of all. */
  readonly isFinal: boolean;
  /** Send the event's message with the write that ends the command, should that be the last one in its way. */
  readonly send: boolean;
  /** The delivered message that this is part of; it is acknowledged with the write that leaves nothing to do. */
  readonly messageId?: string | undefined;
  /** Tries to store the end of an attempt. */
  readonly tries: number;
  /** Monotonic time after which nothing is tried any more, and beyond which no further attempt may last. */
  readonly until: number;
  /** The same for storing a success, which must not be repeated. */
  readonly storeUntil: number;
}

/** A lease that was taken when the event was read. */
export interface HeldLease {
  /** As leased. */
  readonly leased: CommandExecution;
  /** Monotonic time before it was asked for. */
  readonly takenAt: number;
}

/** Where the command stands. */
export interface CommandProgress {
  /** As last written, or as it was. */
  readonly execution: CommandExecution;
  /** Whether the event's message went out with a write. */
  readonly sent: boolean;
  /** Milliseconds until another attempt is due; null when none is, or when it is not ours to say. */
  readonly retryInMs: number | null;
  /** It was somebody else's, or became so. */
  readonly elsewhere: boolean;
  /** An attempt has failed here. */
  readonly failedHere: boolean;
}

/** See the file header. */
export class CommandRunner {
  readonly #parts: ProcessorParts;

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
  }

  /** Rejects when the store does, before an attempt or with one that failed. */
  async run(ctx: WorkerCtx, run: CommandRun): Promise<CommandProgress> {
    const decided = await this.#decide(ctx, run);
    if (decided !== null) return decided;
    let progress: CommandProgress = stands(run.execution);
    for (let made = 1; made <= run.attempts; made++) {
      const { execution, sent } = progress;
      const held = (made === 1 ? run.held : undefined) ?? (await this.#lease(execution));
      if (held === null) return { ...stands(execution), sent, elsewhere: true };
      progress = await this.#attempt(ctx, run, held, made === run.attempts);
      if (progress.elsewhere || progress.execution.status !== "retryable") break;
      if (!this.#hasTime(run)) break;
    }
    return progress;
  }

  #hasTime({ command, until }: Pick<CommandRun, "command" | "until">): boolean {
    return this.#parts.timing.monotonic() + this.timeoutMs(command) <= until;
  }

  /** How long one attempt of the command may take: less than a lease, or it would not have been taken in. */
  timeoutMs({ timeoutMs }: Pick<Command, "timeoutMs">): number {
    return timeoutMs ?? this.#parts.settings.timeoutMs;
  }

  /** What is decided without an attempt; null when there is to be one. */
  async #decide(ctx: WorkerCtx, run: CommandRun): Promise<CommandProgress | null> {
    const { command, execution, siblings } = run;
    const before = execution.after === null ? undefined : siblings.findLast(({ name }) => name === execution.after);
    if (before?.status === "failed" || before?.status === "skipped") {
      return this.#write(ctx, run, "skipped", { code: "skipped", message: `command ${before.name} has not succeeded` });
    }
    // What it comes after is not done yet, so its own turn has not come.
    if (before !== undefined && before.status !== "succeeded") return stands(execution);
    const crashed = execution.status === "running";
    if (crashed && (command.afterCrash === "review" || (await this.#isMarked(execution)))) {
      return this.#write(ctx, run, "needs_review", execution.error);
    }
    if (execution.attempt >= execution.maxAttempts) {
      return this.#write(ctx, run, "failed", { code: "crashed", message: "the process ended during the last attempt" });
    }
    return null;
  }

  async #isMarked({ id, attempt }: CommandExecution): Promise<boolean> {
    const { keyValue } = this.#parts;
    const mark = keyValue === null ? null : await keyValue.get(reviewMarkKey(id));
    return mark !== null && isMarkOf(mark, { attempt });
  }

  /**
   * That somebody has to look is said before the write: nothing finds the command again afterwards. That it has failed is
   * said when that is written, or may have been.
   */
  async #write(
    ctx: WorkerCtx,
    run: CommandRun,
    status: DecideParams["status"],
    error: CommandError | null,
  ): Promise<CommandProgress> {
    const { execution, send, messageId } = run;
    const { store, settings } = this.#parts;
    const { id: commandId, eventId, attempt: seenAttempt } = execution;
    const sweepInMs = settings.sweepAfterMs;
    const decision = { eventId, commandId, seenAttempt, status, error, sweepInMs, send, messageId };
    if (status === "needs_review") {
      await this.#alert(ctx, execution, "needs_review", "a command whose process ended may have had its effect");
    }
    const failedHere = status === "failed";
    let written: WrittenCommand | null;
    try {
      written = await store.decideCommand(decision);
    } catch (thrown) {
      if (failedHere) await this.#alertFailed(ctx, run, execution);
      throw thrown;
    }
    if (written === null) return { ...stands(execution), elsewhere: true };
    if (failedHere) await this.#alertFailed(ctx, run, execution);
    return { ...stands(written.command), sent: written.sent, failedHere };
  }

  async #lease({ id: commandId, eventId, attempt: seenAttempt }: CommandExecution): Promise<HeldLease | null> {
    const { store, timing, settings, owner } = this.#parts;
    const takenAt = timing.monotonic();
    const { leaseMs } = settings;
    const lease = { eventId, commandId, owner, seenAttempt, leaseMs, sweepInMs: leaseMs + settings.sweepAfterMs };
    const leased = await store.leaseCommand(lease);
    return leased && { leased, takenAt };
  }

  async #attempt(
    ctx: WorkerCtx,
    run: CommandRun,
    { leased, takenAt }: HeldLease,
    isLastHere: boolean,
  ): Promise<CommandProgress> {
    const { store, timing, settings, owner } = this.#parts;
    const { id: commandId, eventId } = leased;
    const holder = { eventId, commandId, owner, attempt: leased.attempt };
    const keeper = new LeaseKeeper(store, timing, { holder, leaseMs: settings.leaseMs, takenAt });
    try {
      const timeoutMs = this.timeoutMs(run.command);
      const end = await runHandler({ command: run.command, execution: leased, keeper, timeoutMs, timing, ctx });
      return await this.#end(ctx, run, { leased, keeper, end, isLastHere });
    } finally {
      keeper.stop();
    }
  }

  async #end(
    ctx: WorkerCtx,
    run: CommandRun,
    { leased, keeper, end, isLastHere }: LeasedAttempt & { readonly isLastHere: boolean },
  ): Promise<CommandProgress> {
    const params = this.#settlement(run, { leased, keeper, end }, isLastHere);
    const failedHere = end.type === "failed";
    const until = failedHere ? run.until : run.storeUntil;
    let stored: StoredEnd;
    try {
      stored = await storeEnd(this.#parts, ctx, { params, keeper, tries: run.tries, until });
    } catch (thrown) {
      if (params.status === "failed") await this.#alertUnstored(ctx, leased);
      throw thrown;
    }
    if (stored.type === "lost") return { ...stands(leased), elsewhere: true, failedHere };
    if (stored.type === "marked") return { ...stands({ ...leased, status: "needs_review" }), failedHere };
    const { command, sent } = stored.written;
    if (command.status === "failed") await this.#alertFailed(ctx, run, command);
    return { execution: command, sent, retryInMs: params.retryInMs, elsewhere: false, failedHere };
  }

  #settlement(run: CommandRun, { leased, keeper, end }: LeasedAttempt, isLastHere: boolean): SettleParams {
    const { settings } = this.#parts;
    const common = { ...keeper.holder, send: run.send, messageId: run.messageId };
    if (end.type === "succeeded") {
      const { result, resultDropped } = end;
      const sweepInMs = settings.sweepAfterMs;
      return { ...common, status: "succeeded", result, resultDropped, error: null, retryInMs: null, sweepInMs };
    }
    const isOver = !end.retry || leased.attempt >= leased.maxAttempts || (isLastHere && run.isFinal);
    // Attempts that follow one another here need no pause; the next delivery comes after one.
    const pauses = leased.mode === "async" && (isLastHere || !this.#hasTime(run));
    const retryInMs = isOver ? null : pauses ? backOffMs(settings.retry, leased.attempt) : 0;
    return {
      ...common,
      send: run.send && isOver,
      status: isOver ? "failed" : "retryable",
      result: null,
      resultDropped: false,
      error: end.error,
      retryInMs,
      sweepInMs: (retryInMs ?? 0) + settings.sweepAfterMs,
    };
  }

  /** It may be stored all the same: then nothing comes back to it, and the caller of `emit` sees it as it was. */
  async #alertUnstored(ctx: WorkerCtx, command: CommandExecution): Promise<void> {
    const message = `command ${command.name} has failed in attempt ${command.attempt}; the store does not say whether it has that`;
    await this.#alert(ctx, command, "command_failed", message);
  }

  /** The caller of `emit` sees what became of a sync command that ran there; of any other nobody would. */
  async #alertFailed(ctx: WorkerCtx, { messageId }: CommandRun, command: CommandExecution): Promise<void> {
    if (command.mode === "sync" && messageId === undefined) return;
    const message = `command ${command.name} has failed after attempt ${command.attempt}`;
    await this.#alert(ctx, command, "command_failed", message);
  }

  #alert(
    ctx: WorkerCtx,
    { eventId, id }: CommandExecution,
    code: "command_failed" | "needs_review",
    message: string,
  ): Promise<void> {
    return this.#parts.alerts.raise(ctx, { severity: "high", code, message, eventId, commandId: id });
  }
}

interface LeasedAttempt {
  readonly leased: CommandExecution;
  readonly keeper: LeaseKeeper;
  readonly end: AttemptEnd;
}

function stands(execution: CommandExecution): CommandProgress {
  return { execution, sent: false, retryInMs: null, elsewhere: false, failedHere: false };
}

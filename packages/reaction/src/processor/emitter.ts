/** Accepts events: plan, one atomic write, sync commands here and now, one message for the rest. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { encodeValue, parseValue } from "../definition/check-value.ts";
import type { PlannedCommand } from "../definition/define-command.ts";
import { assertReactionEvent, type ReactionEvent } from "../definition/define-event.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { sha256Hex } from "../kit/sha256-hex.ts";
import { isNoAnswer } from "../kit/within.ts";
import { timeOrderedId } from "../kit/time-ordered-id.ts";
import { LifecycleError } from "../model/lifecycle-error.ts";
import type { NewCommand, NewEvent, StoredEvent } from "../seam/reaction-store.ts";
import { type EmitResult, emitResult, type PendingEmitResult } from "./emit-result.ts";
import { Handover } from "./handover.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { tryAgain } from "./try-again.ts";

/** See the file header. */
export class Emitter<Tx> {
  readonly #parts: ProcessorParts<Tx>;
  readonly #handover: Handover;

  constructor(parts: ProcessorParts<Tx>) {
    this.#parts = parts;
    this.#handover = new Handover(parts);
  }

  /** Rejects only for a bad event, and with what a policy throws. */
  async emit(ctx: WorkerCtx, event: ReactionEvent): Promise<EmitResult> {
    const created = await this.#prepare(ctx, event);
    if (created === null) return emitResult("ignored", null, []);
    const { store, timing, settings } = this.#parts;
    let stored: StoredEvent;
    try {
      stored = await tryAgain(timing, settings.emission, () => store.createEvent(created));
    } catch (error) {
      const found = await this.#look(ctx, created, error);
      if (found === null || found === "unknown") {
        await this.#handover.alertAbandoned(ctx, error, { eventId: null, mayBeStored: found === "unknown" });
        return emitResult("abandoned", null, [], { error });
      }
      stored = found;
    }
    // A try whose answer was lost may have stored it: then the record has our own id.
    const isNew = stored.event.id === created.id;
    return this.#finish(ctx, stored, created, isNew);
  }

  /** Whether one of the tries that failed has stored it all the same. */
  async #look(ctx: WorkerCtx, { id }: NewEvent, reason: unknown): Promise<StoredEvent | "unknown" | null> {
    if (reason instanceof LifecycleError) return null;
    try {
      const found = await this.#parts.store.readEvent(id);
      // What has not answered may yet take effect.
      return found ?? (isNoAnswer(reason) ? "unknown" : null);
    } catch (error) {
      ctx.logger.warn({ error, eventId: id }, "an event that could not be stored could not be looked for either");
      return "unknown";
    }
  }

  /** One try in the caller's transaction; the store's errors are thrown. */
  async emitIn(ctx: WorkerCtx, event: ReactionEvent, tx: Tx): Promise<PendingEmitResult> {
    const created = await this.#prepare(ctx, event);
    if (created === null) {
      const ignored = emitResult("ignored", null, []);
      return Object.freeze({ ...ignored, settle: () => Promise.resolve(ignored) });
    }
    const stored = await this.#parts.store.createEvent(created, { tx });
    const isNew = stored.event.id === created.id;
    const mismatch = this.#mismatch(ctx, stored, created);
    const result = emitResult(isNew ? "accepted" : "duplicate", stored.event, stored.commands, mismatch);
    return Object.freeze({ ...result, settle: () => this.#settle(ctx, stored, created, isNew) });
  }

  async #settle(ctx: WorkerCtx, asWritten: StoredEvent, created: NewEvent, isNew: boolean): Promise<EmitResult> {
    const { store, timing, settings } = this.#parts;
    const { event, commands } = asWritten;
    let stored: StoredEvent | null;
    try {
      stored = await tryAgain(timing, settings.emission, () => store.readEvent(event.id));
    } catch (error) {
      if (error instanceof LifecycleError) throw error;
      await this.#handover.alertAbandoned(ctx, error, { eventId: event.id });
      return emitResult("abandoned", event, commands, { error });
    }
    if (stored !== null) return this.#finish(ctx, stored, created, isNew);
    throw new LifecycleError("settle() found no record: the transaction has not been committed, or was rolled back");
  }

  async #finish(ctx: WorkerCtx, stored: StoredEvent, created: NewEvent, isNew: boolean): Promise<EmitResult> {
    const mismatch = this.#mismatch(ctx, stored, created);
    const { event, commands, error } = await this.#handover.run(ctx, stored, isNew);
    if (error !== null) return emitResult("abandoned", event, commands, { ...mismatch, error });
    return emitResult(isNew ? "accepted" : "duplicate", event, commands, mismatch);
  }

  #mismatch(ctx: WorkerCtx, { event }: StoredEvent, created: NewEvent): { readonly payloadMismatch?: true } {
    if (event.payloadHash === created.payloadHash) return {};
    const { id: eventId, type, idempotencyKey } = event;
    ctx.logger.warn(
      { eventId, type, idempotencyKey },
      "an event was emitted again with another payload; the first one is kept",
    );
    return { payloadMismatch: true };
  }

  /** Everything that needs to wait for something else than the store; null when no command is wanted. */
  async #prepare(ctx: WorkerCtx, event: ReactionEvent): Promise<NewEvent | null> {
    assertReactionEvent(event);
    const planned = await this.#parts.registry.plan(event);
    if (planned.length === 0) return null;
    const at = ctx.now();
    const commands: NewCommand[] = [];
    for (const [position, each] of planned.entries()) commands.push(await this.#newCommand(each, position, at));
    const { type, idempotencyKey, version, payloadText } = event;
    const { settings } = this.#parts;
    return {
      id: timeOrderedId(at),
      type,
      idempotencyKey,
      version,
      payload: payloadText,
      payloadHash: await sha256Hex(canonicalJson(JSON.parse(payloadText))),
      occurredAt: event.occurredAt ?? at,
      commands,
      sweepInMs: settings.sweepAfterMs,
      send: commands.every(({ mode }) => mode === "async"),
    };
  }

  async #newCommand({ command, input }: PlannedCommand, position: number, at: Date): Promise<NewCommand> {
    const path = `input of command ${command.name}`;
    const text = encodeValue(input, path);
    await parseValue(command.schema, JSON.parse(text), path);
    const { name, mode, after, maxAttempts = this.#parts.settings.maxAttempts } = command;
    return { id: timeOrderedId(at), position, name, mode, after, maxAttempts, input: text };
  }
}

/**
 * Stores the end of an attempt. A failure that cannot be stored is no harm: the lease runs out and another attempt follows.
 * A success that cannot be stored must not be repeated: it is said at once, tried on while the lease lasts, and at last
 * left as `needs_review` in the store, or as a mark beside it.
 */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { backOffMs } from "../kit/back-off.ts";
import { within } from "../kit/within.ts";
import type { AttemptRecord } from "../model/command-execution.ts";
import { StoredContentError } from "../model/stored-content-error.ts";
import type { SettleParams, WrittenCommand } from "../seam/reaction-store.ts";
import { ANSWER_MS } from "./bounded-parts.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import type { ProcessorParts } from "./processor-parts.ts";

/** What to store, and for how long to try. */
export interface EndToStore {
  readonly params: SettleParams;
  readonly keeper: LeaseKeeper;
  /** Tries at most; a lease that runs out ends them earlier. */
  readonly tries: number;
  /** Monotonic time after which nothing is tried any more. */
  readonly until: number;
}

/** `lost`: somebody else holds the command, nothing was written. `marked`: not stored; a mark or an alert says so. */
export type StoredEnd =
  | { readonly type: "lost" }
  | { readonly type: "marked" }
  | { readonly type: "written"; readonly written: WrittenCommand };

/** Part of the lease that is kept for leaving a mark. */
const RESERVED = 1 / 6;
/** Part of the lease that a try has at least, also when it is late. */
const SHORTEST_TRY = 1 / 30;
const MARK_SECONDS = 90 * 86_400;

/** Key of the mark of a command whose success could not be stored. */
export function reviewMarkKey(executionId: string): string {
  return `reaction/review/${executionId}`;
}

function reviewMark({ owner, attempt }: SettleParams): string {
  return JSON.stringify({ owner, attempt });
}

/** Whether the mark is of this attempt: one of an earlier attempt was dealt with, even if it could not be deleted. */
export function isMarkOf(mark: string, { attempt }: Pick<SettleParams, "attempt">): boolean {
  try {
    return (JSON.parse(mark) as { readonly attempt?: unknown } | null)?.attempt === attempt;
  } catch {
    // Nobody knows what it is about, so it is about this.
    return true;
  }
}

/** See the file header. Rejects only for a failure that could not be stored. */
export async function storeEnd(parts: ProcessorParts, ctx: WorkerCtx, end: EndToStore): Promise<StoredEnd> {
  const said: Promise<void>[] = [];
  try {
    return await tryToStore(parts, ctx, end, (alert) => said.push(alert));
  } finally {
    // It was said at once; what is still under way must not be cut off by the end of the delivery.
    await Promise.all(said);
  }
}

async function tryToStore(
  parts: ProcessorParts,
  ctx: WorkerCtx,
  end: EndToStore,
  saying: (alert: Promise<void>) => void,
): Promise<StoredEnd> {
  let { params } = end;
  for (let failures = 0; ;) {
    try {
      return await settle(parts, ctx, params, { limitMs: answerMs(parts, end), triedBefore: failures > 0 });
    } catch (error) {
      if (error instanceof StoredContentError && params.result !== null) {
        params = { ...params, result: null, resultDropped: true };
        continue;
      }
      failures++;
      ctx.logger.error(
        { error, commandId: params.commandId, attempt: params.attempt },
        "the end of an attempt could not be stored",
      );
      if (failures === 1 && params.status === "succeeded") saying(sayUnwritten(parts, ctx, params));
      const pause = backOffMs(parts.settings.emission, failures);
      if (failures >= end.tries || !lasts(parts, end, pause)) {
        if (params.status !== "succeeded") throw error;
        return leaveForReview(parts, ctx, params, end.keeper);
      }
      await parts.timing.pause(pause);
    }
  }
}

async function settle(
  parts: ProcessorParts,
  ctx: WorkerCtx,
  params: SettleParams,
  { limitMs, triedBefore }: { readonly limitMs: number; readonly triedBefore: boolean },
): Promise<StoredEnd> {
  const written = await within(parts.timing, limitMs, () => parts.store.settleCommand(params));
  if (written !== null) return { type: "written", written };
  const own = triedBefore ? await writtenBefore(parts, params) : null;
  if (own !== null) return { type: "written", written: own };
  await parts.alerts.raise(ctx, {
    severity: "warning",
    code: "lease_lost",
    message: `attempt ${params.attempt} ended after its lease had been lost; what it would have written is discarded`,
    eventId: params.eventId,
    commandId: params.commandId,
  });
  return { type: "lost" };
}

/** What a try before has written whose answer was lost; null when it was somebody else. */
async function writtenBefore({ store }: ProcessorParts, params: SettleParams): Promise<WrittenCommand | null> {
  const stored = await store.readEvent(params.eventId);
  const command = stored?.commands.find(({ id }) => id === params.commandId);
  const outcome = params.error === null ? "succeeded" : "failed";
  const isOwn = ({ attempt, owner, outcome: ended }: AttemptRecord): boolean =>
    attempt === params.attempt && owner === params.owner && ended === outcome;
  if (stored === undefined || stored === null || command === undefined || !command.attempts.some(isOwn)) return null;
  const { status: eventStatus } = stored.event;
  return { command, eventStatus, sent: params.send && store.sendsInTransaction && eventStatus === "dispatched" };
}

function sayUnwritten({ alerts }: ProcessorParts, ctx: WorkerCtx, { eventId, commandId }: SettleParams): Promise<void> {
  return alerts.raise(ctx, {
    severity: "high",
    code: "result_unwritten",
    message: "a command has succeeded and its result could not be stored yet",
    eventId,
    commandId,
  });
}

/** How long a try may take, so that an answer that does not come leaves time for a mark. */
function answerMs({ settings, timing }: ProcessorParts, { keeper, until }: EndToStore): number {
  const { remainingMs } = keeper;
  if (remainingMs <= 0) return ANSWER_MS;
  const limitMs = Math.max(remainingMs / 2, remainingMs - settings.leaseMs * RESERVED);
  return Math.max(settings.leaseMs * SHORTEST_TRY, Math.min(limitMs, until - timing.monotonic()));
}

function lasts({ timing, settings }: ProcessorParts, { keeper, until }: EndToStore, pauseMs: number): boolean {
  const leaseLasts = keeper.remainingMs - pauseMs > settings.leaseMs * RESERVED;
  return leaseLasts && timing.monotonic() + pauseMs < until;
}

async function leaveForReview(
  parts: ProcessorParts,
  ctx: WorkerCtx,
  params: SettleParams,
  keeper: LeaseKeeper,
): Promise<StoredEnd> {
  const { eventId, commandId } = params;
  const say = (message: string): Promise<void> =>
    parts.alerts.raise(ctx, { severity: "high", code: "needs_review", message, eventId, commandId });
  try {
    // The other half is for the mark.
    const reservedMs = parts.settings.leaseMs * RESERVED;
    const limitMs = (keeper.remainingMs > 0 ? Math.min(reservedMs, keeper.remainingMs) : reservedMs) / 2;
    const review: SettleParams = { ...params, status: "needs_review", result: null };
    const stored = await settle(parts, ctx, review, { limitMs, triedBefore: true });
    if (stored.type === "written") await say("a command has succeeded and its result could not be stored");
    return stored;
  } catch (error) {
    ctx.logger.error({ error, commandId }, "a command could not be put into review");
  }
  try {
    await parts.keyValue?.put(reviewMarkKey(commandId), reviewMark(params), { expiresInSeconds: MARK_SECONDS });
    if (parts.keyValue !== null) {
      await say("a command has succeeded and its result could not be stored; a mark keeps it from being run again");
      return { type: "marked" };
    }
  } catch (error) {
    ctx.logger.error({ error, commandId }, "a review mark could not be written");
  }
  await say("a command has succeeded, and neither its result nor a mark could be stored: it may run again");
  return { type: "marked" };
}

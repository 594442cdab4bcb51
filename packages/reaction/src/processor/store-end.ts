/**
 * Stores the end of an attempt. A failure that cannot be stored is no harm: the lease runs out and another attempt follows.
 * A success that cannot be stored must not be repeated: it is said at once, tried on while the lease lasts, and at last
 * left as `needs_review` in the store, or as a mark beside it.
 */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { backOffMs } from "../kit/back-off.ts";
import type { AttemptRecord } from "../model/command-execution.ts";
import { StoredContentError } from "../model/stored-content-error.ts";
import type { SettleParams, WrittenCommand } from "../seam/reaction-store.ts";
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
const MARK_SECONDS = 90 * 86_400;

/** Key of the mark of a command whose success could not be stored. */
export function reviewMarkKey(executionId: string): string {
  return `reaction/review/${executionId}`;
}

/** See the file header. Rejects only for a failure that could not be stored. */
export async function storeEnd(parts: ProcessorParts, ctx: WorkerCtx, end: EndToStore): Promise<StoredEnd> {
  let { params } = end;
  for (let failures = 0; ;) {
    try {
      return await settle(parts, ctx, params, failures > 0);
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
      if (failures === 1 && params.status === "succeeded") await sayUnwritten(parts, ctx, params);
      const pause = backOffMs(parts.settings.emission, failures);
      if (failures >= end.tries || !lasts(parts, end, pause)) {
        if (params.status !== "succeeded") throw error;
        return leaveForReview(parts, ctx, params);
      }
      await parts.timing.pause(pause);
    }
  }
}

async function settle(
  parts: ProcessorParts,
  ctx: WorkerCtx,
  params: SettleParams,
  triedBefore: boolean,
): Promise<StoredEnd> {
  const written = await parts.store.settleCommand(params);
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

function lasts({ timing, settings }: ProcessorParts, { keeper, until }: EndToStore, pauseMs: number): boolean {
  const leaseLasts = keeper.remainingMs - pauseMs > settings.leaseMs * RESERVED;
  return leaseLasts && timing.monotonic() + pauseMs < until;
}

async function leaveForReview(parts: ProcessorParts, ctx: WorkerCtx, params: SettleParams): Promise<StoredEnd> {
  const { eventId, commandId } = params;
  const review = (message: string): Promise<void> =>
    parts.alerts.raise(ctx, { severity: "high", code: "needs_review", message, eventId, commandId });
  try {
    const stored = await settle(parts, ctx, { ...params, status: "needs_review", result: null }, true);
    if (stored.type === "written") await review("a command has succeeded and its result could not be stored");
    return stored;
  } catch (error) {
    ctx.logger.error({ error, commandId }, "a command could not be put into review");
  }
  try {
    await parts.keyValue?.put(reviewMarkKey(commandId), params.owner, { expiresInSeconds: MARK_SECONDS });
    if (parts.keyValue !== null) {
      await review("a command has succeeded and its result could not be stored; a mark keeps it from being run again");
      return { type: "marked" };
    }
  } catch (error) {
    ctx.logger.error({ error, commandId }, "a review mark could not be written");
  }
  await review("a command has succeeded, and neither its result nor a mark could be stored: it may run again");
  return { type: "marked" };
}

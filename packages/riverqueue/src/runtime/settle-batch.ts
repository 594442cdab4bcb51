/**
 * Writes one batch of ends: three tries with pauses, and, when one row can have caused the failure, bisecting until
 * only the rows that cannot be written are left. Those are written with a note in place of what cannot be stored.
 */
import type { DriverFacets } from "../driver/driver.ts";
import type { SettledJob } from "../driver/settle-jobs.ts";
import type { Backoff } from "../kit/backoff.ts";
import { backoffMs } from "../kit/backoff.ts";
import { pause } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";
import { isRowCausedFailure } from "../model/errors/is-row-caused-failure.ts";
import { isRetryableError } from "../model/errors/is-retryable-error.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { degradations } from "./degrade-settlement.ts";

/** Longest time of one try, in milliseconds. */
export const COMPLETION_TIMEOUT_MS = 10_000;
/** Shortest limit of a try while a stop with a timeout drains, in milliseconds. */
export const COMPLETION_TIMEOUT_FLOOR_MS = 1_000;
/** Tries of one batch. */
export const COMPLETION_ATTEMPTS = 3;
/** Pauses after failed tries. */
export const COMPLETION_BACKOFF: Backoff = Object.freeze({ baseMs: 1_000, maxMs: 4_000 });

/** What writing a batch needs. */
export interface SettleBatchContext<Tx> {
  readonly facets: DriverFacets<Tx>;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly wantRows: boolean;
  /** Aborted once the pipeline is drained: nothing follows the last try then. */
  readonly draining: AbortSignal;
  /** Monotonic time by which a stop with a timeout should be done; null without limit. */
  readonly deadline: () => number | null;
  readonly onSettled: (end: AttemptEnd, settled: SettledJob) => void;
  readonly onDegraded: (count: number) => void;
}

/** What was not written: `failed` may succeed later, `dropped` will not. */
export interface BatchOutcome {
  readonly failed: readonly AttemptEnd[];
  readonly dropped: readonly AttemptEnd[];
  readonly error: unknown;
}

const EVERYTHING_WRITTEN: BatchOutcome = Object.freeze({ failed: [], dropped: [], error: null });

/** Writes `batch`; never rejects. */
export async function settleBatch<Tx>(
  batch: readonly AttemptEnd[],
  context: SettleBatchContext<Tx>,
): Promise<BatchOutcome> {
  const { environment, logger } = context;
  for (let tries = 1; ; tries++) {
    const { settled, error } = await settleOnce(batch, context);
    if (settled !== null) {
      report(batch, settled, context);
      return EVERYTHING_WRITTEN;
    }
    if (isRowCausedFailure(error)) return bisect(batch, error, context);
    if (isPermanentFailure(error)) return { failed: [], dropped: batch, error };
    const last = tries === COMPLETION_ATTEMPTS;
    logBackgroundFailure(logger, error, { count: batch.length, tries }, "storing completions failed");
    const wait = backoffMs(COMPLETION_BACKOFF, tries, environment.random);
    await pause(environment.clock, wait, last ? context.draining : undefined);
    if (!last) continue;
    return isRetryableError(error) || context.draining.aborted
      ? { failed: batch, dropped: [], error }
      : { failed: [], dropped: batch, error };
  }
}

/** One try: what the database did, or why it did nothing. */
async function settleOnce<Tx>(
  batch: readonly AttemptEnd[],
  context: SettleBatchContext<Tx>,
): Promise<{ readonly settled: readonly SettledJob[] | null; readonly error: unknown }> {
  try {
    const settled = await context.facets.jobs.settle(
      { settlements: batch.map((end) => end.settlement), wantRows: context.wantRows },
      { now: context.environment.databaseNow?.(), timeoutMs: tryLimit(context) },
    );
    return { settled, error: null };
  } catch (error) {
    return { settled: null, error };
  }
}

/** Says what became of each end, now that it is committed. */
function report<Tx>(
  batch: readonly AttemptEnd[],
  settled: readonly SettledJob[],
  context: SettleBatchContext<Tx>,
): void {
  const byId = new Map(settled.map((result) => [result.id, result]));
  for (const end of batch) {
    const result = byId.get(end.record.id);
    context.onSettled(end, result ?? { id: end.record.id, outcome: "missing", state: null, job: null });
  }
}

function tryLimit<Tx>({ deadline, environment }: SettleBatchContext<Tx>): number {
  const until = deadline();
  if (until === null) return COMPLETION_TIMEOUT_MS;
  const left = until - environment.clock.monotonic();
  return Math.min(COMPLETION_TIMEOUT_MS, Math.max(COMPLETION_TIMEOUT_FLOOR_MS, left));
}

/** Narrows a failure down: halves are written on their own, a single row is degraded. */
async function bisect<Tx>(
  batch: readonly AttemptEnd[],
  cause: unknown,
  context: SettleBatchContext<Tx>,
): Promise<BatchOutcome> {
  const [only] = batch;
  if (batch.length === 1 && only) return degrade(only, cause, context);
  const middle = batch.length >> 1;
  const first = await settleBatch(batch.slice(0, middle), context);
  const second = await settleBatch(batch.slice(middle), context);
  return {
    failed: [...first.failed, ...second.failed],
    dropped: [...first.dropped, ...second.dropped],
    error: first.error ?? second.error,
  };
}

/** Writes one row with less and less of what the database refuses, down to the bare state. */
async function degrade<Tx>(end: AttemptEnd, cause: unknown, context: SettleBatchContext<Tx>): Promise<BatchOutcome> {
  let error = cause;
  for (const reduced of degradations(end, cause)) {
    const { settled, error: failure } = await settleOnce([reduced], context);
    if (settled !== null) {
      report([reduced], settled, context);
      context.logger.error({ jobId: String(end.record.id), error: cause }, "a completion was stored without a value");
      context.onDegraded(1);
      return EVERYTHING_WRITTEN;
    }
    error = failure;
    if (!isRowCausedFailure(failure)) return { failed: [reduced], dropped: [], error };
  }
  return { failed: [], dropped: [end], error };
}

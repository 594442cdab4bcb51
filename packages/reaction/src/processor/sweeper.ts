/** Finds events that nothing has moved for a while and sends for them; deletes what is old enough. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { within } from "../kit/within.ts";
import type { AnalyticsStore } from "../seam/analytics-store.ts";
import type { SweptEvent } from "../seam/reaction-store.ts";
import { policyTask } from "./policy-task.ts";
import type { ProcessorParts } from "./processor-parts.ts";

/** What a pass did. */
export interface SweepResult {
  /** Events that were sent for. */
  readonly dispatched: number;
  /** Events that lost their content or went away. */
  readonly expired: number;
}

/** Events of one pass at most. */
const PASS = 100;
const RETENTION_BATCH = 500;
const KEY_VALUE_BATCH = 1000;
/** From this many sweeps on every further one is alerted; they are an hour apart by then. */
const TOLERATED_SWEEPS = 10;
const SALTS_LIVE_MS = 48 * 3_600_000;
/** How long each part of a pass may take; the next pass goes on with what it has left. */
const PART_MS = 60_000;

/** See the file header. */
export class Sweeper {
  readonly #parts: ProcessorParts;
  readonly #analytics: AnalyticsStore | null;

  constructor(parts: ProcessorParts, analytics: AnalyticsStore | null) {
    this.#parts = parts;
    this.#analytics = analytics;
  }

  /** Any number of processes may sweep at the same time. Never rejects: what fails is logged, and the next pass comes. */
  async sweep(ctx: WorkerCtx): Promise<SweepResult> {
    const dispatched = await this.#attempt(ctx, "events", 0, () => this.#dispatch(ctx));
    const expired = await this.#attempt(ctx, "records", 0, () => this.#expire());
    const { keyValue } = this.#parts;
    await this.#attempt(ctx, "entries", 0, () => keyValue?.deleteExpired(KEY_VALUE_BATCH));
    await this.#attempt(ctx, "salts", undefined, () => this.#analytics?.deleteSalts(SALTS_LIVE_MS));
    return Object.freeze({ dispatched, expired });
  }

  async #dispatch(ctx: WorkerCtx): Promise<number> {
    const { store, queue } = this.#parts;
    const won = await store.claimSweeps(PASS);
    if (won.length === 0) return 0;
    try {
      await queue.send(won.map(({ id }) => ({ body: policyTask(id) })));
      await store.markDispatched(
        won.map(({ id }) => id),
        true,
      );
    } finally {
      const exhausted = won.filter(({ sweeps }) => sweeps >= TOLERATED_SWEEPS);
      await Promise.all(exhausted.map((event) => this.#alert(ctx, event)));
    }
    return won.length;
  }

  #expire(): Promise<number> {
    const { store, settings } = this.#parts;
    return store.applyRetention({ ...settings.retention, limit: RETENTION_BATCH });
  }

  #alert(ctx: WorkerCtx, { id, sweeps }: SweptEvent): Promise<void> {
    return this.#parts.alerts.raise(ctx, {
      severity: "high",
      code: "sweeps_exhausted",
      message: `an event is unfinished after ${sweeps} sweeps`,
      eventId: id,
    });
  }

  async #attempt<T>(ctx: WorkerCtx, what: string, fallback: T, step: () => Promise<T> | undefined): Promise<T> {
    try {
      return (await within(this.#parts.timing, PART_MS, async () => step())) ?? fallback;
    } catch (error) {
      ctx.logger.error({ error }, `sweeping ${what} failed; the next pass tries again`);
      return fallback;
    }
  }
}

/**
 * What was done in each minute, by queue and kind, until it is written. Bounded: when there are too many rows, further
 * queues and kinds go uncounted, and how often that was is told.
 */
import type { Clock } from "../kit/clock.ts";
import { LATENCY_BUCKETS } from "./latency-buckets.ts";

/** Things that are counted, in the order of their columns. */
export const COUNT_COLUMNS: readonly string[] = Object.freeze([
  "inserted",
  "completed",
  "failed",
  ...LATENCY_BUCKETS.map(({ column }) => column),
]);

/** Positions in {@link MinuteRow.counts}. */
export const COUNT: Readonly<Record<"completed" | "failed" | "inserted" | "latency", number>> = Object.freeze({
  inserted: 0,
  completed: 1,
  failed: 2,
  /** The first bucket's. */
  latency: 3,
});

/** Rows that wait to be written, at most. */
export const MINUTE_ROWS_LIMIT = 10_000;

const MINUTE_MS = 60_000;

/** Counts of one minute, queue and kind. */
export interface MinuteRow {
  /** Its beginning, in milliseconds since the epoch. */
  readonly minuteMs: number;
  readonly queue: string;
  readonly kind: string;
  /** One number for each of {@link COUNT_COLUMNS}. */
  readonly counts: number[];
}

/** See the file header. The minute is the client's own, by its wall clock as the minute began. */
export class MinuteCounts {
  readonly #clock: Clock;
  readonly #rows = new Map<string, MinuteRow>();
  /** Rows of the present minute by queue and kind, for which no key has to be put together. */
  readonly #recent = new Map<string, Map<string, MinuteRow>>();
  #minuteMs = 0;
  /** When the minute is over, by the monotonic clock, which is cheaper to read. */
  #untilMonotonic = -Infinity;
  #lost = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one thing. */
  add(queue: string, kind: string, position: number): void {
    this.#roll();
    const row = this.#recent.get(queue)?.get(kind) ?? this.#recentRowOf(queue, kind);
    if (row === null) this.#lost += 1;
    else row.counts[position] = (row.counts[position] ?? 0) + 1;
  }

  /** Takes out up to `limit` rows of minutes that are over, or of all, the earliest first. */
  take(which: "all" | "over", limit: number): readonly MinuteRow[] {
    this.#roll();
    this.#recent.clear();
    const taken: MinuteRow[] = [];
    for (const [key, row] of this.#rows) {
      if (taken.length === limit) break;
      if (which === "over" && row.minuteMs >= this.#minuteMs) continue;
      this.#rows.delete(key);
      taken.push(row);
    }
    return taken;
  }

  /** Takes back rows that could not be written. */
  giveBack(rows: readonly MinuteRow[]): void {
    for (const { minuteMs, queue, kind, counts } of rows) {
      const row = this.#rowOf(minuteMs, queue, kind);
      if (row === null) this.#lost += 1;
      else for (const [position, count] of counts.entries()) row.counts[position] = (row.counts[position] ?? 0) + count;
    }
  }

  /** How much went uncounted since this was asked last. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  clear(): void {
    this.#rows.clear();
    this.#recent.clear();
    this.#lost = 0;
  }

  #recentRowOf(queue: string, kind: string): MinuteRow | null {
    const row = this.#rowOf(this.#minuteMs, queue, kind);
    if (row === null) return null;
    let kinds = this.#recent.get(queue);
    if (kinds === undefined) this.#recent.set(queue, (kinds = new Map()));
    kinds.set(kind, row);
    return row;
  }

  #rowOf(minuteMs: number, queue: string, kind: string): MinuteRow | null {
    // A queue name has no line breaks, so no two keys are the same.
    const key = `${minuteMs}\n${queue}\n${kind}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      if (this.#rows.size >= MINUTE_ROWS_LIMIT) return null;
      row = { minuteMs, queue, kind, counts: COUNT_COLUMNS.map(() => 0) };
      this.#rows.set(key, row);
    }
    return row;
  }

  #roll(): void {
    const monotonic = this.#clock.monotonic();
    if (monotonic < this.#untilMonotonic) return;
    const now = this.#clock.now().epochMilliseconds;
    this.#minuteMs = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    this.#recent.clear();
    this.#untilMonotonic = monotonic + (this.#minuteMs + MINUTE_MS - now);
  }
}

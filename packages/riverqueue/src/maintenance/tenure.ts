/**
 * One term of leadership as its holder sees it: how long the lease may be trusted, and whether the term is over. All work
 * of a leader belongs to a tenure and ends with its signal.
 *
 * Trust runs by the monotonic clock and by the wall clock, whichever is further ahead: after a suspended process, a
 * suspended machine or a jump of the clock nothing may be done before the database has been asked again.
 */
import type { Clock, Timer } from "../kit/clock.ts";
import type { LeaderTerm } from "../model/leader-term.ts";

/**
 * Why a term is over. `gone`: the database no longer knows it. `expired`: it could not be renewed in time. `asked`:
 * somebody asked for its end. `stopped`: the client stops.
 */
export type TenureEnd = "asked" | "expired" | "gone" | "stopped";

/** A reading of both clocks, taken before the statement that elected or renewed. */
export interface ClockReading {
  readonly monotonic: number;
  readonly wallMs: number;
}

/** Reads both clocks. */
export function readClocks(clock: Clock): ClockReading {
  return { monotonic: clock.monotonic(), wallMs: clock.now().epochMilliseconds };
}

/** See the file header. */
export class Tenure {
  readonly #clock: Clock;
  readonly #trustMs: number;
  readonly #controller = new AbortController();
  #term: LeaderTerm;
  #since: ClockReading;
  #timer: Timer | null = null;
  #end: TenureEnd | null = null;

  /**
   * @param since - clocks before the bid that won
   * @param trustMs - how long after such a reading the lease holds for certain
   */
  constructor(clock: Clock, term: LeaderTerm, since: ClockReading, trustMs: number) {
    this.#clock = clock;
    this.#trustMs = trustMs;
    this.#term = term;
    this.#since = since;
    this.#armTimer();
  }

  /** As last read from the database. */
  get term(): LeaderTerm {
    return this.#term;
  }

  /** Aborts when the term is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the term is over; null while it lasts. */
  get ended(): TenureEnd | null {
    return this.#end;
  }

  /** Milliseconds of trust left; at most 0 when it is used up. */
  get trustLeftMs(): number {
    const { monotonic, wallMs } = readClocks(this.#clock);
    const passed = Math.max(monotonic - this.#since.monotonic, wallMs - this.#since.wallMs);
    return this.#trustMs - passed;
  }

  /** Whether work of this term may be done now. Ends a term whose trust is used up. */
  holds(): boolean {
    if (this.#end === null && this.trustLeftMs <= 0) this.finish("expired");
    return this.#end === null;
  }

  /** The lease was prolonged by a statement begun at `since`. */
  renewed(term: LeaderTerm, since: ClockReading): void {
    this.#term = term;
    this.#since = since;
    this.#armTimer();
  }

  /** Ends the term for this client; the first reason counts. */
  finish(reason: TenureEnd): void {
    if (this.#end !== null) return;
    this.#end = reason;
    this.#timer?.cancel();
    this.#controller.abort();
  }

  /** Ends the term on time, whatever else is being waited for. */
  #armTimer(): void {
    this.#timer?.cancel();
    if (this.#end !== null) return;
    this.#timer = this.#clock.setTimer(
      () => {
        if (this.holds()) this.#armTimer();
      },
      Math.max(0, this.trustLeftMs),
    );
  }
}

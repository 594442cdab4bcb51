/**
 * Remembers rows that the database refused to change, so that what takes rows in order does not meet the same ones each
 * time, and logs each of them once.
 */
import type { Clock } from "./clock.ts";
import type { LogAttributes, Logger } from "./logger.ts";

/** What tells one memory from another. */
export interface RefusedRowsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a row is left alone, in milliseconds: what refuses it may be mended. */
  readonly keepMs: number;
  /** Rows to remember at most; then the oldest are forgotten. */
  readonly capacity: number;
  readonly message: string;
  /** What the rows are, and so which attribute of the log entry names one. */
  readonly attribute: "jobId" | "queue";
  readonly attributes?: LogAttributes;
}

const NONE: readonly never[] = Object.freeze([]);

/** See the file header. */
export class RefusedRows<Id extends bigint | string> {
  readonly #options: RefusedRowsOptions;
  /** Until when each is left alone. Those whose time is over stay, since they were logged. */
  readonly #until = new Map<Id, number>();
  #noted = 0;

  constructor(options: RefusedRowsOptions) {
    this.#options = options;
  }

  /** Refusals so far. */
  get noted(): number {
    return this.#noted;
  }

  /** No further row can be remembered without forgetting one. */
  get isFull(): boolean {
    return this.#until.size >= this.#options.capacity;
  }

  /** Rows to leave alone now. */
  get known(): readonly Id[] {
    if (this.#until.size === 0) return NONE;
    const now = this.#options.clock.monotonic();
    return Array.from(this.#until).flatMap(([id, until]) => (until > now ? [id] : []));
  }

  /** Leaves the row alone from now on for a while. */
  note(id: Id, error: unknown): void {
    const { clock, logger, keepMs, capacity, message, attribute, attributes } = this.#options;
    this.#noted++;
    if (!this.#until.delete(id)) logger.error({ ...attributes, [attribute]: String(id), error }, message);
    this.#until.set(id, clock.monotonic() + keepMs);
    const [oldest] = this.#until.keys();
    if (oldest !== undefined && this.#until.size > capacity) this.#until.delete(oldest);
  }
}

/** One delivery of one message: how the commands of its event stand, what went wrong, and how long it may still take. */
import { backOffMs } from "../kit/back-off.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { StoredEvent } from "../seam/reaction-store.ts";
import type { ProcessorParts } from "./processor-parts.ts";

/** After a lease has run out by the store's clock. */
const LEASE_MARGIN_MS = 1000;
/** Homes give a delivery ten seconds more than a lease lasts: three are for storing, the rest is for leaving a mark. */
const STORE_MARGIN_MS = 3000;

/** See the file header. */
export class Delivery {
  readonly stored: StoredEvent;
  readonly isFinal: boolean;
  /** Monotonic time at which the delivery is over. */
  readonly until: number;
  readonly #parts: ProcessorParts;
  readonly #left: number;
  readonly #byId: Map<string, CommandExecution>;
  readonly #delays: number[] = [];
  #failed = false;
  #leasedMs: number | null = null;
  #begun = false;
  #cutShort = false;

  constructor(parts: ProcessorParts, stored: StoredEvent, attempts: number) {
    this.#parts = parts;
    this.stored = stored;
    this.#left = Math.max(1, parts.settings.deliveries - attempts + 1);
    this.isFinal = this.#left === 1;
    this.until = parts.timing.monotonic() + parts.settings.leaseMs;
    this.#byId = new Map(stored.commands.map((command) => [command.id, command]));
  }

  /** Monotonic time until which a success is tried to be stored, as long as its lease is held. */
  get storeUntil(): number {
    return this.until + STORE_MARGIN_MS;
  }

  get commands(): readonly CommandExecution[] {
    return [...this.#byId.values()];
  }

  get(id: string): CommandExecution {
    return this.#byId.get(id) as CommandExecution;
  }

  note(execution: CommandExecution): void {
    this.#byId.set(execution.id, execution);
  }

  /** Somebody else has it. */
  noteLease({ lease }: CommandExecution): void {
    const ms =
      lease === null ? this.#parts.settings.retry.firstMs : lease.expiresAt.getTime() - this.stored.now.getTime();
    this.#leasedMs = Math.min(this.#leasedMs ?? Infinity, ms);
  }

  /** Somebody else has a command of the event. */
  get isElsewhere(): boolean {
    return this.#leasedMs !== null;
  }

  noteFailure(retryInMs: number | null): void {
    this.#failed = true;
    if (retryInMs !== null) this.#delays.push(retryInMs);
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  /** Milliseconds until the next delivery. */
  get retryInMs(): number {
    if (this.#delays.length > 0) return Math.max(...this.#delays);
    if (this.#leasedMs !== null) return Math.max(0, this.#leasedMs) + LEASE_MARGIN_MS;
    return backOffMs(this.#parts.settings.retry, this.#parts.settings.deliveries - this.#left + 1);
  }

  /** Attempts to make in this delivery, so that all are made by the last one. */
  attemptsFor({ attempt, maxAttempts }: CommandExecution): number {
    return Math.max(1, Math.ceil((maxAttempts - attempt) / this.#left));
  }

  /** Whether an attempt that takes `timeoutMs` at most may still begin: not when it might outlast the delivery, unless it is the first. */
  begin(timeoutMs: number): boolean {
    const fits = !this.#begun || this.#parts.timing.monotonic() + timeoutMs <= this.until;
    this.#begun = true;
    this.#cutShort ||= !fits;
    return fits;
  }

  /** Something was not begun because the delivery would have lasted too long. */
  get cutShort(): boolean {
    return this.#cutShort;
  }
}

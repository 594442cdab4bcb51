/**
 * A transaction that River opens for an insertion with hooks or middleware. The write lock is taken at the first
 * statement; if the transaction is still open at the event loop's next turn, it is rolled back at once. So it is when
 * its limit passes, whatever it is waiting for.
 */
import { TransactionScopeError, type OwnScope } from "riverqueue/driver";
import { BusyBackoff } from "../connection/busy-backoff.ts";
import type { Durability, PrivateConnection } from "../connection/private-connection.ts";
import { operationError } from "../connection/sqlite-failure.ts";
import { newFrame, runInFrame, type ScopeFrame } from "./scope-context.ts";
import { Unit } from "./unit.ts";

const OPERATION = "transaction";

/** How a transaction runs. */
export interface TransactionOptions {
  readonly durability: Durability;
  /** Runs before the commit, if anything was done; what it throws rolls back. */
  readonly last?: (unit: Unit) => void;
  readonly now?: Temporal.Instant | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The handle behind an `OwnScope`. */
export class RiverTransaction {
  readonly frame: ScopeFrame;
  readonly #connection: PrivateConnection;
  readonly #options: TransactionOptions;
  readonly #busyTimeoutMs: number;
  readonly #broken: PromiseWithResolvers<never> = Promise.withResolvers();
  #begun: Promise<void> | null = null;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;
  #turnCheck: NodeJS.Immediate | null = null;
  #wroteNotices = false;

  constructor(connection: PrivateConnection, options: TransactionOptions, busyTimeoutMs: number) {
    this.#connection = connection;
    this.#options = options;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.frame = newFrame(connection.identity, "river");
    this.#broken.promise.catch(() => undefined);
  }

  get wroteNotices(): boolean {
    return this.#wroteNotices;
  }

  /**
   * Runs `body`, then commits; rolls back when it rejects, when one of its verbs failed, at the loop's turn, or when its
   * limit passes.
   */
  async run<T>(body: (scope: OwnScope) => Promise<T>): Promise<T> {
    const { timeoutMs, signal } = this.#options;
    signal?.throwIfAborted();
    const abort = (): void => this.#breakOff(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#timeOut(), timeoutMs);
    try {
      const scope: OwnScope = { owner: "river", handle: this };
      const result = await Promise.race([runInFrame(this.frame, () => body(scope)), this.#broken.promise]);
      if (this.#failure !== null) throw this.#failure.error;
      await this.#commit();
      return result;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#end();
    }
  }

  /** Runs one verb's statements in the transaction. A failure dooms the whole of it: half an insertion is none. */
  async use<T>(connection: PrivateConnection, now: Temporal.Instant | undefined, body: (unit: Unit) => T): Promise<T> {
    this.#assertUsable(connection);
    try {
      this.#begun ??= this.#begin();
      await this.#begun;
      this.#assertUsable(connection);
      const unit = new Unit(connection.statements, now);
      const result = body(unit);
      this.#wroteNotices ||= unit.wroteNotices;
      return result;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  #assertUsable(connection: PrivateConnection): void {
    if (this.#failure !== null) throw this.#failure.error;
    if (this.#ended || connection !== this.#connection) {
      throw new TransactionScopeError("no_transaction", "scope: expected one of a transaction that has not ended");
    }
  }

  async #begin(): Promise<void> {
    await this.#connection.occupy(OPERATION, new BusyBackoff(this.#busyTimeoutMs), this.#options.durability);
    if (this.#ended) {
      this.#connection.rollback(this.#options.durability);
      return;
    }
    this.frame.holdsLock = true;
    this.#turnCheck = setImmediate(() => this.#breakAtTurn());
  }

  #breakAtTurn(): void {
    const text = "an insertion waited for I/O while it held the write lock; do such work before next() or pass { tx }";
    this.#breakOff(new TransactionScopeError("event_loop_turn", text));
  }

  #timeOut(): void {
    const text = `took longer than ${this.#options.timeoutMs} ms`;
    this.#breakOff(operationError("timeout", OPERATION, { text }));
  }

  #breakOff(error: unknown): void {
    this.#failure = { error };
    this.#end();
    this.#broken.reject(error);
  }

  async #commit(): Promise<void> {
    if (!this.frame.holdsLock) return;
    this.#options.last?.(new Unit(this.#connection.statements, this.#options.now));
    this.#stopTurnCheck();
    this.frame.holdsLock = false;
    await this.#connection.commit(OPERATION, new BusyBackoff(this.#busyTimeoutMs), this.#options.durability);
  }

  #end(): void {
    this.#ended = true;
    this.#stopTurnCheck();
    if (!this.frame.holdsLock) return;
    this.frame.holdsLock = false;
    this.#connection.rollback(this.#options.durability);
  }

  #stopTurnCheck(): void {
    if (this.#turnCheck !== null) clearImmediate(this.#turnCheck);
    this.#turnCheck = null;
  }
}

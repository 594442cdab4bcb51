/**
 * River's own connection to the database. It hands out turns: a unit of work that settles at once runs in one go, a
 * transaction that stays open across promises occupies the connection and everybody else waits for its release.
 * It never blocks the event loop while another connection holds a lock.
 */
import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError, LifecycleError, type InsertJobsParams } from "riverqueue/driver";
import type { BusyBackoff } from "./busy-backoff.ts";
import { openHandle, type DatabaseLocation } from "./database-location.ts";
import { LoopFairness } from "./loop-fairness.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { isBusy } from "./sqlite-failure.ts";

/** What a commit waits for. */
export type Durability = InsertJobsParams["durability"];

/**
 * How a unit runs: `read` and `statement` as they are, for a single statement that SQLite makes atomic by itself;
 * `transaction` between `BEGIN IMMEDIATE` and `COMMIT`.
 */
export type UnitMode = "read" | "statement" | "transaction";

/** The private connection of one driver. */
export class PrivateConnection {
  readonly identity: string;
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;
  #walPending: boolean;
  readonly #fairness = new LoopFairness();
  #released: PromiseWithResolvers<void> | null = null;

  /** Opens it. Write-ahead logging is switched on at the first operation if the database is busy now. */
  constructor(location: DatabaseLocation) {
    this.identity = location.identity;
    this.#database = openHandle(location, { timeout: 0 });
    this.#connection = SqliteConnection.of(this.#database);
    this.#walPending = !location.inMemory;
    try {
      this.#switchToWal();
    } catch (error) {
      if (isBusy(error)) return;
      this.#database.close();
      throw error;
    }
  }

  /** Whether a transaction stays open across promises just now. */
  get occupied(): boolean {
    return this.#released !== null;
  }

  /** The connection's statements, for whoever occupies it or needs no turn. */
  get statements(): SqliteConnection {
    return this.#connection;
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** @throws LifecycleError once the driver is closed. */
  assertOpen(): void {
    if (!this.#database.isOpen) throw new LifecycleError("the driver is closed");
  }

  /** Runs `body` as one unit, as often as a lock makes it necessary; what it did in a failed try is undone. */
  async run<T>(
    mode: UnitMode,
    operation: string,
    backoff: BusyBackoff,
    body: () => T,
    durability: Durability = "default",
  ): Promise<T> {
    const turn = this.#fairness.turnIfDue();
    if (turn !== null) await turn;
    for (;;) {
      while (this.#released !== null) await this.#released.promise;
      this.assertOpen();
      try {
        this.#switchToWal();
        if (mode !== "transaction") return body();
        this.#begin(durability);
      } catch (error) {
        if (!isBusy(error)) throw error;
        await backoff.pause(operation, error);
        continue;
      }
      return this.#finish(operation, backoff, body, durability);
    }
  }

  /** Begins a transaction that occupies the connection until `commit` or `rollback`. */
  async occupy(operation: string, backoff: BusyBackoff, durability: Durability): Promise<void> {
    const turn = this.#fairness.turnIfDue();
    if (turn !== null) await turn;
    for (;;) {
      while (this.#released !== null) await this.#released.promise;
      this.assertOpen();
      try {
        this.#switchToWal();
        this.#begin(durability);
        this.#released = Promise.withResolvers();
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        await backoff.pause(operation, error);
      }
    }
  }

  /** Commits what `occupy` began, waiting for readers where the journal needs it; rolls back when that fails. */
  async commit(operation: string, backoff: BusyBackoff, durability: Durability): Promise<void> {
    try {
      for (;;) {
        try {
          this.#connection.change("COMMIT");
          break;
        } catch (error) {
          if (!isBusy(error)) throw error;
          await backoff.pause(operation, error);
        }
      }
    } catch (error) {
      this.rollback(durability);
      throw error;
    }
    this.#release(durability);
  }

  /** Undoes what `occupy` began. */
  rollback(durability: Durability): void {
    this.#undo();
    this.#release(durability);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    this.#released?.resolve();
    this.#released = null;
  }

  async #finish<T>(operation: string, backoff: BusyBackoff, body: () => T, durability: Durability): Promise<T> {
    let result: T;
    try {
      result = body();
    } catch (error) {
      this.#undo();
      this.#resetDurability(durability);
      throw error;
    }
    try {
      this.#connection.change("COMMIT");
      this.#resetDurability(durability);
    } catch (error) {
      if (!isBusy(error)) {
        this.#undo();
        this.#resetDurability(durability);
        throw error;
      }
      // A reader of a memory database: the transaction stays as it is until it is gone.
      this.#released = Promise.withResolvers();
      await backoff.pause(operation, error);
      await this.commit(operation, backoff, durability);
    }
    return result;
  }

  #begin(durability: Durability): void {
    // SQLite refuses to change this inside a transaction.
    if (durability === "relaxed") this.#connection.change("PRAGMA synchronous = NORMAL");
    try {
      this.#connection.change("BEGIN IMMEDIATE");
    } catch (error) {
      this.#resetDurability(durability);
      throw error;
    }
  }

  /** Some failures have ended the transaction already. */
  #undo(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#connection.change("ROLLBACK");
  }

  #release(durability: Durability): void {
    this.#resetDurability(durability);
    const released = this.#released;
    this.#released = null;
    released?.resolve();
  }

  #resetDurability(durability: Durability): void {
    if (durability === "relaxed" && this.#database.isOpen) this.#connection.change("PRAGMA synchronous = FULL");
  }

  #switchToWal(): void {
    if (!this.#walPending) return;
    const mode = this.#connection.row("PRAGMA journal_mode = wal")?.[0];
    if (mode !== "wal") throw new ConfigurationError("database: its file system cannot hold a write-ahead log (WAL)");
    this.#walPending = false;
  }
}

// SQLite has one write lock, and one handle has one transaction at a time. Jobs run side by side, so what they write
// stands in line here instead of meeting in the database.
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "@riverqueue/driver-sqlite";

/** Runs transactions on one handle, one after another. */
export class SingleWriter {
  readonly #database: DatabaseSync;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Commits when the callback resolves, and rolls back when it throws. Other writers wait meanwhile, so it does nothing
   * slow.
   *
   * @returns what the callback returns.
   */
  async write<Result>(callback: (tx: DatabaseSync) => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => transaction(this.#database, callback));
    this.#last = turn.catch(() => undefined);
    return await turn;
  }
}

/** Rebuilding indexes on SQLite: plain, under the write lock, with nothing left over when interrupted. */
import type { IndexesFacet } from "riverqueue/driver";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { quoteIdentifier } from "../sql/identifier.ts";
import { EXISTING_INDEXES } from "../sql/indexes/existing.ts";

/** Index verbs of the SQLite driver. */
export class SqliteIndexes implements IndexesFacet {
  readonly #runner: UnitRunner;

  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  existing({ names }: { readonly names: readonly string[] }): Promise<readonly string[]> {
    return this.#runner.read("indexes.existing", undefined, ({ connection }) => {
      const found = new Set(connection.rows(EXISTING_INDEXES, JSON.stringify(names)).map(([name]) => String(name)));
      return names.filter((name) => found.has(name));
    });
  }

  /** A rebuild is one statement, whole or not at all. */
  artifacts(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** The limit and the signal end the wait for the lock; a rebuild that has begun runs to its end. */
  async rebuild(params: {
    readonly index: string;
    readonly timeoutMs: number | null;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { index, timeoutMs, signal } = params;
    signal.throwIfAborted();
    await this.#runner.change("indexes.rebuild", { timeoutMs: timeoutMs ?? undefined }, ({ connection }) => {
      signal.throwIfAborted();
      connection.change(`REINDEX ${quoteIdentifier(index)}`);
    });
  }

  dropArtifacts(): Promise<void> {
    return Promise.resolve();
  }
}

/** Rebuilding indexes on Postgres: concurrently, outside any transaction, with left-overs when interrupted. */
import type { IndexesFacet } from "riverqueue/driver";
import { quoteIdentifier, type Dialect } from "../connection/dialect.ts";
import { formatArray } from "../record/pg-array.ts";
import type { Runners } from "../scope/runners.ts";
import { EXISTING_INDEXES, INDEX_ARTIFACTS } from "../sql/indexes/existing.ts";

/** Longest look into the catalog, in milliseconds. */
const LOOK_LIMIT_MS = 30_000;

/** Index verbs of the Postgres driver. */
export class PgIndexes implements IndexesFacet {
  readonly #runners: Runners;

  constructor(runners: Runners) {
    this.#runners = runners;
  }

  existing({ names }: { readonly names: readonly string[] }): Promise<readonly string[]> {
    return this.#runners.maintenance.use("indexes.existing", { timeoutMs: LOOK_LIMIT_MS }, async (unit) => {
      const found = new Set((await unit.rows(EXISTING_INDEXES, formatArray(names))).map(([name]) => name));
      return names.filter((name) => found.has(name));
    });
  }

  artifacts({ index }: { readonly index: string }): Promise<readonly string[]> {
    return this.#runners.maintenance.use("indexes.artifacts", { timeoutMs: LOOK_LIMIT_MS }, async (unit) =>
      (await unit.rows(INDEX_ARTIFACTS, index)).map(([name]) => name ?? ""),
    );
  }

  async rebuild(params: {
    readonly index: string;
    readonly timeoutMs: number | null;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { index, timeoutMs, signal } = params;
    signal.throwIfAborted();
    const limits = { timeoutMs: timeoutMs ?? undefined, signal };
    await this.#runners.maintenance.connected("indexes.rebuild", limits, (connection) =>
      connection.command("indexes.rebuild", `REINDEX INDEX CONCURRENTLY ${nameOf(connection.dialect, index)}`),
    );
  }

  async dropArtifacts({ index, timeoutMs }: { readonly index: string; readonly timeoutMs: number }): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (const name of await this.artifacts({ index })) {
      const limits = { timeoutMs: deadline - performance.now() };
      await this.#runners.maintenance.connected("indexes.dropArtifacts", limits, (connection) =>
        connection.command(
          "indexes.dropArtifacts",
          `DROP INDEX CONCURRENTLY IF EXISTS ${nameOf(connection.dialect, name)}`,
        ),
      );
    }
  }
}

function nameOf({ prefix }: Dialect, index: string): string {
  return `${prefix}${quoteIdentifier(index)}`;
}

/** Statements of extension migration lines on SQLite. */
import type { DatabaseSync } from "node:sqlite";
import type { DriverCall, ExtensionFacet, ExtensionResult, ExtensionStatement } from "riverqueue/driver";
import type { SqliteConnection } from "../connection/sqlite-connection.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { quoteIdentifier } from "../sql/identifier.ts";

/** Extension verbs of the SQLite driver. */
export class SqliteExtension implements ExtensionFacet<DatabaseSync> {
  readonly #runner: UnitRunner;

  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  run(statements: readonly ExtensionStatement[], call?: DriverCall<DatabaseSync>): Promise<readonly ExtensionResult[]> {
    return this.#runner.transact("extension.run", call, ({ connection }) =>
      statements.map((statement) => runOne(connection, statement)),
    );
  }

  tableName(table: string): string {
    return quoteIdentifier(table);
  }
}

function runOne(connection: SqliteConnection, { text, values }: ExtensionStatement): ExtensionResult {
  const before = totalChanges(connection);
  const { columns, rows } = connection.named(text, ...values);
  return {
    rows: rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, plainNumber(row[index])]))),
    changes: totalChanges(connection) - before,
  };
}

function totalChanges(connection: SqliteConnection): number {
  return Number(connection.row("SELECT total_changes()")?.[0]);
}

/** Integers as numbers where those are exact. */
function plainNumber(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

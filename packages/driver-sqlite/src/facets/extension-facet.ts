/** Statements of extension migration lines on SQLite. */
import type { DatabaseSync } from "node:sqlite";
import type { ExtensionCall, ExtensionFacet, ExtensionResult, ExtensionStatement } from "riverqueue/driver";
import type { SqliteConnection } from "../connection/sqlite-connection.ts";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { quoteIdentifier } from "../sql/identifier.ts";

const OPERATION = "extension.run";

/** Extension verbs of the SQLite driver. */
export class SqliteExtension implements ExtensionFacet<DatabaseSync> {
  readonly #runner: UnitRunner;

  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  run(
    statements: readonly ExtensionStatement[],
    call?: ExtensionCall<DatabaseSync>,
  ): Promise<readonly ExtensionResult[]> {
    const body = ({ connection }: Unit): ExtensionResult[] =>
      statements.map((statement) => runOne(connection, statement));
    // A single one is atomic by itself, and a read then takes no lock.
    return statements.length > 1
      ? this.#runner.transact(OPERATION, call, body)
      : this.#runner.change(OPERATION, call, body);
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

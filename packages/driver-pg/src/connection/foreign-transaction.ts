/** Runs statements in a transaction of the application through a method that River knows nothing about. */
import { statementOf, type Dialect, type SqlTemplate } from "./dialect.ts";
import { operationError, sqlstateOf, translateFailure } from "./pg-failure.ts";
import type { PgRow, PgRows, PgValue, StatementRunner } from "./pg-connection.ts";
import type { PgTransaction } from "./pg-shapes.ts";

/** See the file header. */
export class ForeignTransaction implements StatementRunner {
  readonly #tx: PgTransaction;
  readonly #dialect: () => Dialect;

  /** @param dialect - gives a textual one, and is called for each use. */
  constructor(tx: PgTransaction, dialect: () => Dialect) {
    this.#tx = tx;
    this.#dialect = dialect;
  }

  get dialect(): Dialect {
    return this.#dialect();
  }

  run(operation: string, template: SqlTemplate, values: readonly PgValue[]): Promise<PgRows> {
    return this.runOnce(operation, statementOf(template, this.dialect).text, values);
  }

  async runOnce(operation: string, text: string, values: readonly PgValue[]): Promise<PgRows> {
    const result = await this.query(operation, text, values);
    const rows = result.map((row) => Object.values(row) as unknown as PgRow);
    return { rows, count: rows.length };
  }

  /** Rows by column name, as the application's library reads them. */
  async query(
    operation: string,
    text: string,
    values: readonly PgValue[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    try {
      const { rows } = await this.#tx.query(text, [...values]);
      return rows as Record<string, unknown>[];
    } catch (error) {
      if (sqlstateOf(error) !== null) throw translateFailure(error, operation);
      throw operationError("other", operation, { cause: error, text: "the transaction's query method failed" });
    }
  }
}

// Runs the demo's own statements on Postgres, and turns what goes wrong into words.
import { StatementFailure } from "../statement-failure.ts";

/** A connection, or a pool. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** What came of a statement: its rows by column name, and the number of rows read or written. */
export interface StatementResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
}

/** Serialization, deadlock, lock not available, cancelled. */
const PASSING: ReadonlySet<unknown> = new Set(["40001", "40P01", "55P03", "57014"]);

/** @throws StatementFailure */
export async function runStatement(on: Queryable, text: string, values: unknown[] = []): Promise<StatementResult> {
  try {
    const { rows, rowCount } = await on.query(text, values);
    return { rows: rows as Record<string, unknown>[], count: rowCount ?? 0 };
  } catch (error) {
    throw toStatementFailure(error);
  }
}

/** What `pg` has thrown. */
export function toStatementFailure(error: unknown): StatementFailure {
  const passes = PASSING.has((error as { readonly code?: unknown }).code);
  return new StatementFailure(describe(error), { passes, cause: error });
}

/** The words of the server or of the network. With several addresses for a name there is one error for each. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

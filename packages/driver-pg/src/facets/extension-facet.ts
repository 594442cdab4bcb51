/** Statements of extension migration lines on Postgres. */
import type { ExtensionCall, ExtensionFacet, ExtensionResult, ExtensionStatement } from "riverqueue/driver";
import { quoteIdentifier, type Dialect } from "../connection/dialect.ts";
import type { ForeignTransaction } from "../connection/foreign-transaction.ts";
import { PgConnection, type PgValue, type TypedRows } from "../connection/pg-connection.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import type { Runners } from "../scope/runners.ts";

type Call = ExtensionCall<PgTransaction>;

const OPERATION = "extension.run";

/** Object IDs of types that are read as something else than text. */
const TYPE = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, oid: 26, float4: 700, float8: 701 } as const;

/** Extension verbs of the Postgres driver. */
export class PgExtension implements ExtensionFacet<PgTransaction> {
  readonly #runners: Runners;
  readonly #dialect: () => Dialect;

  constructor(runners: Runners, dialect: () => Dialect) {
    this.#runners = runners;
    this.#dialect = dialect;
  }

  /**
   * Integers come as numbers where those are exact and as bigints otherwise, bytes as byte arrays, truth values and
   * floating point numbers as such, everything else as text. In a transaction that is no connection of `pg` columns come
   * as the application's library reads them, and `changes` is the number of rows returned.
   */
  async run(statements: readonly ExtensionStatement[], call?: Call): Promise<readonly ExtensionResult[]> {
    const runner = call?.lane === "background" ? this.#runners.maintenance : this.#runners.work;
    if (call?.scope !== undefined) return runner.scoped(call.scope, (connection) => runAll(connection, statements));
    if (statements.length > 1) return runner.own(OPERATION, call, (unit) => runAll(unit.connection, statements));
    // It is atomic by itself, and sent alone it takes one round trip instead of three.
    return runner.connected(OPERATION, { timeoutMs: call?.timeoutMs }, (connection) => runAll(connection, statements));
  }

  tableName(table: string): string {
    return `${this.#dialect().prefix}${quoteIdentifier(table)}`;
  }
}

async function runAll(
  runner: PgConnection | ForeignTransaction,
  statements: readonly ExtensionStatement[],
): Promise<readonly ExtensionResult[]> {
  const results: ExtensionResult[] = [];
  for (const statement of statements) results.push(await runOne(runner, statement));
  return results;
}

async function runOne(
  runner: PgConnection | ForeignTransaction,
  { text, values, prepare = false }: ExtensionStatement,
): Promise<ExtensionResult> {
  const bindings = values.map(bound);
  if (runner instanceof PgConnection) return decoded(await runner.runTyped(OPERATION, text, bindings, prepare));
  const rows = await runner.query(OPERATION, text, bindings);
  return { rows, changes: rows.length };
}

function bound(value: ExtensionStatement["values"][number]): PgValue {
  if (value === null) return null;
  return value instanceof Uint8Array ? `\\x${value.toHex()}` : String(value);
}

/** Rows by column name, with values as {@link PgExtension.run} has them. */
export function decoded({ rows, columns, count }: TypedRows): ExtensionResult {
  return {
    rows: rows.map((row) =>
      Object.fromEntries(columns.map(({ name, type }, index) => [name, decode(row[index] ?? null, type)])),
    ),
    changes: count,
  };
}

function decode(text: string | null, type: number): unknown {
  if (text === null) return null;
  if (type === TYPE.bool) return text === "t";
  if (type === TYPE.int2 || type === TYPE.int4 || type === TYPE.oid) return Number(text);
  if (type === TYPE.float4 || type === TYPE.float8) return Number(text);
  if (type === TYPE.int8) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  return type === TYPE.bytea && text.startsWith("\\x") ? Uint8Array.fromHex(text.slice(2)) : text;
}

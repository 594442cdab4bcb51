/** Statements of extension migration lines. River's own tables are reached through the other facets only. */
import type { DriverCall } from "./call.ts";

/** A statement in the backend's own dialect and placeholder style. */
export interface ExtensionStatement {
  readonly text: string;
  /** Strings, numbers, bigints, byte arrays and null; times and JSON as text. */
  readonly values: readonly (string | number | bigint | Uint8Array | null)[];
}

/** Rows by column name and the number of rows changed. */
export interface ExtensionResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly changes: number;
}

/** Extension verbs of a runtime driver. */
export interface ExtensionFacet<Tx> {
  /** Runs the statements in order as one atomic unit, in the call's scope if given. */
  run(statements: readonly ExtensionStatement[], call?: DriverCall<Tx>): Promise<readonly ExtensionResult[]>;
  /** Name by which statements reach `table`: quoted and qualified by the configured schema. */
  tableName(table: string): string;
}

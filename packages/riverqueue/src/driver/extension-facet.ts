/** Statements of extension migration lines. River's own tables are reached through the other facets only. */
import type { DriverCall } from "./call.ts";

/** A statement in the backend's own dialect and placeholder style. */
export interface ExtensionStatement {
  readonly text: string;
  /** Strings, numbers, bigints, byte arrays and null; times and JSON as text. */
  readonly values: readonly (string | number | bigint | Uint8Array | null)[];
  /**
   * For a text that is run again and again with other values: the driver may have the database keep it prepared, and its
   * plan. Few texts should say so, and none that is made of values. `false` unless given.
   *
   * @addition
   */
  readonly prepare?: boolean | undefined;
}

/** Rows by column name and the number of rows changed. */
export interface ExtensionResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly changes: number;
}

/**
 * On which connections of a runtime: `work` is shared with claims and completions; `background` holds up neither them nor
 * leadership, however long a statement takes.
 */
export type ExtensionLane = "background" | "work";

/** Options of {@link ExtensionFacet.run}. */
export interface ExtensionCall<Tx> extends DriverCall<Tx> {
  /** `work` unless given. Drivers with one connection, and calls with a scope, take no notice of it. */
  readonly lane?: ExtensionLane | undefined;
}

/** Extension verbs of a runtime driver. */
export interface ExtensionFacet<Tx> {
  /**
   * Runs the statements in order as one atomic unit, in the call's scope if given. A single statement is sent as it is,
   * without a transaction around it.
   */
  run(statements: readonly ExtensionStatement[], call?: ExtensionCall<Tx>): Promise<readonly ExtensionResult[]>;
  /** Name by which statements reach `table`: quoted and qualified by the configured schema. */
  tableName(table: string): string;
}

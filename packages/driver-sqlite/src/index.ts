/**
 * River's driver for SQLite, on `node:sqlite`.
 *
 * @packageDocumentation
 */
import type { DatabaseSync } from "node:sqlite";
// Without an import of it the module could not be augmented.
// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers -- nothing of it is used
import type {} from "riverqueue";

declare module "riverqueue" {
  interface RiverTransactionRegistry {
    sqlite: DatabaseSync;
  }
}

export { SqliteDriver } from "./sqlite-driver.ts";
export { transaction } from "./scope/transaction.ts";
export type { SqliteDriverOptions, SqliteTransactionOptions } from "./driver-options.ts";

/**
 * River's driver for Postgres, on `pg`.
 *
 * @packageDocumentation
 */
// Without an import of it the module could not be augmented.
// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers -- nothing of it is used
import type {} from "riverqueue";
import type { PgTransaction } from "./connection/pg-shapes.ts";

declare module "riverqueue" {
  interface RiverTransactionRegistry {
    pg: PgTransaction;
  }
}

export { PgDriver } from "./pg-driver.ts";
export type { PgDriverOptions, PgServerKind } from "./driver-options.ts";
export type { PgClient, PgPool, PgPoolClient, PgTransaction } from "./connection/pg-shapes.ts";

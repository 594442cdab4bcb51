/** The mark in migration SQL that stands for the configured schema. River for Go uses the same one. */
import type { Migration } from "./migration.ts";

/**
 * Written before the name of an object in a Postgres migration. It is a comment, so that the text is valid SQL for the
 * connection's default schema as it stands.
 */
export const SCHEMA: string = "/* TEMPLATE: schema */";

/** `sql` with every mark replaced by the quoted schema and a dot, or by nothing when `schema` is null. */
export function renderSchema(sql: string, schema: string | null): string {
  return sql.replaceAll(SCHEMA, () => (schema === null ? "" : `${quoteIdentifier(schema)}.`));
}

/** The migration as it runs in `schema`. */
export function renderMigration(migration: Migration, schema: string | null): Migration {
  const { version, name, upSql, downSql } = migration;
  return Object.freeze({
    version,
    name,
    upSql: renderSchema(upSql, schema),
    downSql: renderSchema(downSql, schema),
  });
}

/** `name` as a quoted SQL identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

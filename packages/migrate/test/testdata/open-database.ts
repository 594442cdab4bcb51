/** SQLite files for one test each, and what they hold. */
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import type { TestContext } from "node:test";
import { temporaryFolder } from "@riverqueue/internal-test-kit";

/** A handle to a new, empty file, closed after the test. */
export function openDatabase(t: TestContext, options: DatabaseSyncOptions = {}): DatabaseSync {
  const handles: DatabaseSync[] = [];
  t.after(() => handles.forEach((handle) => handle.close()));
  const database = new DatabaseSync(join(temporaryFolder(t), "river.db"), options);
  handles.push(database);
  return database;
}

/** One column of all rows of a query. */
export function column(database: DatabaseSync, sql: string): unknown[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0]);
}

/** All rows of a query as plain objects. */
export function rows(database: DatabaseSync, sql: string): Record<string, unknown>[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

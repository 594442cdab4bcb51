/** A migrated SQLite database for one test. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createMigrator } from "@riverqueue/migrate";
import { temporaryFolder } from "./temporary-folder.ts";

/** See {@link leaseSqliteDatabase}. */
export interface LeasedSqliteDatabase {
  /** The file, alone in its folder at first. */
  readonly path: string;
  /** A new handle to it, which is closed after the test. */
  open(options?: DatabaseSyncOptions): DatabaseSync;
}

let template: Promise<string> | undefined;

/**
 * A new file at the latest version of the main line. It is removed when the test has passed, and kept, with its path
 * among the test's output, when not.
 */
export async function leaseSqliteDatabase(t: TestContext): Promise<LeasedSqliteDatabase> {
  template ??= makeTemplate();
  // Registered before the removal of the folder: an open file cannot be removed everywhere.
  const handles: DatabaseSync[] = [];
  t.after(() => handles.filter((handle) => handle.isOpen).forEach((handle) => handle.close()));
  const path = join(temporaryFolder(t), "river.db");
  copyFileSync(await template, path);
  return {
    path,
    open(options = {}) {
      const database = new DatabaseSync(path, options);
      handles.push(database);
      return database;
    },
  };
}

/** Migrates a file once for all leases of the process. */
async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "river-template-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "river.db");
  const database = new DatabaseSync(path);
  await createMigrator({ database }).migrateUp();
  database.close();
  return path;
}

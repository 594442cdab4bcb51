/** Where a database is: how further connections to it are opened, and whether two handles work on the same one. */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";

/** A database. */
export interface DatabaseLocation {
  /** Path of the file, or URI of a memory database; null when only one connection can reach it. */
  readonly path: string | null;
  /** The same for every handle on this database. */
  readonly identity: string;
  readonly inMemory: boolean;
}

const locations = new WeakMap<DatabaseSync, DatabaseLocation>();
let unshared = 0;

/** The database of an open handle. */
export function locationOf(database: DatabaseSync): DatabaseLocation {
  let location = locations.get(database);
  if (location === undefined) {
    location = findLocation(database.location());
    locations.set(database, location);
  }
  return location;
}

/** Device and inode name a file, so that links and different spellings of a path do not matter. */
function findLocation(path: string | null): DatabaseLocation {
  if (path === null) return { path: null, identity: `unshared:${(unshared += 1)}`, inMemory: true };
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  // An open file may have been unlinked; then its path is all that is left to compare.
  const identity = file === undefined ? `path:${path}` : `file:${file.dev}:${file.ino}`;
  return { path, identity, inMemory: false };
}

/** A new memory database that several connections can share; it exists while one of them is open. */
export function newMemoryDatabase(): DatabaseLocation {
  const name = `/river-${randomUUID()}`;
  return { path: `file:${name}?vfs=memdb`, identity: `memory:${name}`, inMemory: true };
}

/** Opens a further connection. SQLite does not tell what memory database it is on, so that is noted here. */
export function openHandle(location: DatabaseLocation, options: DatabaseSyncOptions): DatabaseSync {
  const database = new DatabaseSync(location.path ?? "", options);
  locations.set(database, location);
  return database;
}

// Rows of files that a finished walk through the folder has not met. Their files are gone, so the rows go as well.
import type { DatabaseSync } from "node:sqlite";
import { prefixOf } from "./stored-path.ts";

/** A condition on `path`, with the prefix as its two parameters. Bytes are compared, because paths are bytes. */
export const PATH_BEGINS_WITH = "substr(cast(path as blob), 1, length(?)) = ?";

/** Forgets what an earlier walk has met. The note is temporary: it belongs to this handle alone. */
export function beginMeeting(database: DatabaseSync): void {
  database.exec("create temp table if not exists met (file_id integer primary key); delete from temp.met");
}

/** Notes that the file of a row is there. */
export function noteMet(tx: DatabaseSync, fileId: number): void {
  tx.prepare("insert or ignore into temp.met (file_id) values (?)").run(fileId);
}

/** Notes that nobody could look below `path`, so that nothing there counts as gone. */
export function noteUnknown(tx: DatabaseSync, path: Buffer): void {
  const prefix = prefixOf(path);
  tx.prepare(
    `insert or ignore into temp.met (file_id) select id from files where ${PATH_BEGINS_WITH} or cast(path as blob) = ?`,
  ).run(prefix, prefix, path);
}

/** Removes the rows below `folder` that were not met. A job that one of them has finds no file and ends. */
export function removeMissing(tx: DatabaseSync, folder: Buffer): number {
  const prefix = prefixOf(folder);
  const { changes } = tx
    .prepare(`delete from files where ${PATH_BEGINS_WITH} and id not in (select file_id from temp.met)`)
    .run(prefix, prefix);
  return Number(changes);
}

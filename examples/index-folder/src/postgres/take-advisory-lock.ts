// At most one run works on a database, as on SQLite. Here the lock is one of the server's, which it releases when the
// connection ends, however that ends.
import { setTimeout as wait } from "node:timers/promises";
import { SCHEMA } from "./postgres-files-table.ts";
import { type Queryable, runStatement } from "./run-statement.ts";

const POLL_MS = 200;

/**
 * Waits until no other run works on the database of a connection, and keeps others waiting as long as that is open.
 *
 * @returns false when the waiting was ended.
 */
export async function takeAdvisoryLock(
  connection: Queryable,
  { onWait, signal }: { readonly onWait: () => void; readonly signal: AbortSignal },
): Promise<boolean> {
  for (let tries = 0; !(await isTaken(connection)); tries++) {
    if (tries === 0) onWait();
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
  }
  return true;
}

async function isTaken(connection: Queryable): Promise<boolean> {
  const { rows } = await runStatement(connection, "select pg_try_advisory_lock(hashtextextended($1, 0)) as is_taken", [
    SCHEMA,
  ]);
  return rows[0]?.["is_taken"] === true;
}

/** The transaction in which one version is applied or taken out: migrators of one database take turns at it. */
import type { MigrationSession } from "riverqueue/driver";
import type { MigrationBackend } from "./migration.ts";
import { inSqliteWriteTransaction } from "./sqlite-write-transaction.ts";
import { inTransaction } from "./transaction.ts";

/** Key of the advisory lock by which migrators of one Postgres database take turns: the ASCII codes of `rivermig`. */
const POSTGRES_LOCK_KEY = "8244250770961951079";

/**
 * Runs `body` in a transaction that no other migrator's overlaps: what it reads stays true until the commit. Commits
 * when it resolves and rolls back when it rejects.
 */
export function inWriteTransaction<T>(
  session: MigrationSession,
  backend: MigrationBackend,
  body: () => Promise<T>,
): Promise<T> {
  if (backend === "sqlite") return inSqliteWriteTransaction(session, body);
  // Whatever isolation is the server's default, each read must see what the previous holder of the lock committed.
  return inTransaction(session, "begin isolation level read committed", async () => {
    await session.query(`select pg_advisory_xact_lock(${POSTGRES_LOCK_KEY})`);
    return body();
  });
}

/** Plain transactions on a migration session. */
import type { MigrationSession } from "riverqueue/driver";
import type { MigrationBackend } from "./migration.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";

/** Runs `body` between `begin` and a commit, or a rollback when it rejects. */
export async function inTransaction<T>(session: MigrationSession, begin: string, body: () => Promise<T>): Promise<T> {
  await session.execute(begin);
  try {
    const result = await body();
    await session.execute("commit");
    return result;
  } catch (error) {
    await rollBack(session);
    throw error;
  }
}

/** Rolls back. Never rejects: the error that made it necessary is the one to report, and may have ended the transaction. */
export async function rollBack(session: MigrationSession): Promise<void> {
  try {
    await session.execute("rollback");
  } catch {
    // No transaction is left, or no connection; either way nothing of it stays.
  }
}

/** Runs `body`, which only reads, on one snapshot of the database. On SQLite it runs again after waiting for a lock. */
export function inReadTransaction<T>(
  session: MigrationSession,
  backend: MigrationBackend,
  body: () => Promise<T>,
): Promise<T> {
  if (backend === "sqlite") return retryWhileLocked(() => inTransaction(session, "begin", body));
  return inTransaction(session, "begin isolation level repeatable read, read only", body);
}

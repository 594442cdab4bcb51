/** How River begins and ends transactions on a lent connection. */
import type { PgConnection } from "../connection/pg-connection.ts";
import { operationError } from "../connection/pg-failure.ts";

// River's statements decide on what others have committed by then, whatever the server's default is.
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/** Runs `body` between BEGIN and COMMIT; rolled back when it rejects. */
export async function inTransaction<T>(
  operation: string,
  connection: PgConnection,
  relaxed: boolean,
  body: () => Promise<T>,
): Promise<T> {
  try {
    await begin(operation, connection, relaxed);
    const result = await body();
    await commit(operation, connection);
    return result;
  } catch (error) {
    await rollBack(operation, connection);
    throw error;
  }
}

/** Begins; `relaxed` commits do not wait for the disk. What fails here is to be rolled back as well. */
export async function begin(operation: string, connection: PgConnection, relaxed: boolean): Promise<void> {
  await connection.command(operation, BEGIN);
  if (relaxed) await connection.command(operation, "SET LOCAL synchronous_commit TO OFF");
}

/** @throws DatabaseOperationError also when a statement had failed, behind which the server rolls back and says so. */
export async function commit(operation: string, connection: PgConnection): Promise<void> {
  if ((await connection.command(operation, "COMMIT")) === "COMMIT") return;
  throw operationError("other", operation, { text: "a statement of the transaction had failed; it was rolled back" });
}

/** Never rejects: a connection on which it fails is taken out of use, and the server undoes the rest. */
export async function rollBack(operation: string, connection: PgConnection): Promise<void> {
  if (connection.broken) return;
  try {
    await connection.command(operation, "ROLLBACK");
  } catch {
    connection.markBroken();
  }
}

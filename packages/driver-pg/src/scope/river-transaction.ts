/** A transaction that River begins and ends on a lent connection. */
import { operationError } from "../connection/pg-failure.ts";
import type { PgConnection } from "../connection/pg-connection.ts";

// River's statements decide on what others have committed by then, whatever the server's default is.
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/** The handle of an `OwnScope`: a connection whose transaction is open until `end`. */
export class RiverTransaction {
  readonly connection: PgConnection;
  /** What tells drivers apart: a scope belongs to the one that opened it. */
  readonly owner: object;
  #open = true;

  constructor(connection: PgConnection, owner: object) {
    this.connection = connection;
    this.owner = owner;
  }

  /** False once it was committed or rolled back. */
  get open(): boolean {
    return this.#open;
  }

  /** No statement joins it from here on. */
  end(): void {
    this.#open = false;
  }
}

/** Runs `body` between BEGIN and COMMIT; rolled back when it rejects. */
export async function inTransaction<T>(
  operation: string,
  connection: PgConnection,
  relaxed: boolean,
  body: () => Promise<T>,
): Promise<T> {
  await connection.command(operation, BEGIN);
  try {
    if (relaxed) await connection.command(operation, "SET LOCAL synchronous_commit TO OFF");
    const result = await body();
    // Behind an error that `body` kept to itself the server rolls back and says so.
    if ((await connection.command(operation, "COMMIT")) === "COMMIT") return result;
  } catch (error) {
    await rollBack(operation, connection);
    throw error;
  }
  throw operationError("other", operation, { text: "a statement of the transaction had failed; it was rolled back" });
}

async function rollBack(operation: string, connection: PgConnection): Promise<void> {
  if (connection.broken) return;
  try {
    await connection.command(operation, "ROLLBACK");
  } catch {
    connection.markBroken();
  }
}

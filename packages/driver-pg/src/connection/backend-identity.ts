/**
 * Which server process is behind a connection, and cancelling what it does. The process ID is asked from the server, and
 * a cancellation names the start of the process as well: one that has taken over the number meanwhile is left alone.
 */
import { ConfigurationError } from "riverqueue/driver";
import { sessionFacts } from "../sql/schema/session-facts.ts";
import type { PgConnection } from "./pg-connection.ts";
import type { PgClient } from "./pg-shapes.ts";
import type { PrepareMode } from "./prepare-mode.ts";

/** A server process. */
export interface BackendIdentity {
  readonly processId: string;
  readonly startedAt: string;
}

const known = new WeakMap<PgClient, Promise<BackendIdentity | null>>();

/**
 * The process behind `connection`, asked once; null in pooler mode, which an answer that differs from the start-up data
 * of the connection turns on.
 *
 * @throws ConfigurationError when the connection's DateStyle is not ISO, in which River reads times.
 */
export function identify(
  operation: string,
  connection: PgConnection,
  prepare: PrepareMode,
): Promise<BackendIdentity | null> {
  const { client } = connection;
  let identity = known.get(client);
  if (identity === undefined) {
    identity = ask(operation, connection, prepare);
    known.set(client, identity);
    identity.catch(() => known.delete(client));
  }
  return identity;
}

async function ask(operation: string, connection: PgConnection, prepare: PrepareMode): Promise<BackendIdentity | null> {
  const { rows } = await connection.runOnce(operation, sessionFacts(connection.dialect), []);
  const [processId, startedAt, dateStyle] = rows[0] ?? [];
  if (!dateStyle?.startsWith("ISO")) {
    throw new ConfigurationError(
      `${operation}: the connection has DateStyle ${dateStyle}, and River reads times in ISO style: set datestyle to 'ISO, MDY'`,
    );
  }
  const { processID: atStart } = connection.client as { readonly processID?: unknown };
  if (String(atStart) !== processId) prepare.notePooler();
  if (prepare.pooled || !processId || !startedAt) return null;
  return { processId, startedAt };
}

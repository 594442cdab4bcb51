/** Options of the driver, checked once. */
import { OptionProblems } from "riverqueue/driver";

/**
 * Which kind of server answers: Postgres itself, or one that speaks its protocol and lacks some of it.
 *
 * @addition
 */
export type PgServerKind = "postgres" | "yugabyte";

/** Options of a `PgDriver`. */
export interface PgDriverOptions {
  /**
   * Schema of River's tables, quoted wherever it is used. Absent or null: the connection's default, by `search_path`.
   * Together with the longest topic its name must fit into the 63 bytes of a channel, so it has 46 bytes at most.
   */
  readonly schema?: string | null | undefined;
  /**
   * Send statements by name, so that the server prepares each only once a connection. Default true. `false` for a pooler
   * in transaction mode, such as PgBouncer before 1.21; the driver goes over to it by itself when the server does not
   * know a statement any more.
   *
   * @addition
   */
  readonly prepare?: boolean | undefined;
  /**
   * What the server is. Found out on the first connection unless set.
   *
   * @addition
   */
  readonly server?: PgServerKind | undefined;
}

/** Checked options. */
export interface ResolvedPgOptions {
  readonly schema: string | null;
  readonly prepare: boolean;
  readonly server: PgServerKind | null;
}

const KNOWN = ["prepare", "schema", "server"];
/** A channel is schema, dot, topic, and an identifier has at most 63 bytes. */
const SCHEMA_BYTES = 63 - ".river_leadership".length;

/** @throws ConfigurationError naming everything wrong. */
export function resolveDriverOptions(options: unknown = {}): ResolvedPgOptions {
  const problems = new OptionProblems();
  const { schema = null, prepare = true, server = null } = problems.object(options, "options", KNOWN);
  if (schema !== null && !isSchemaName(schema)) {
    problems.add("options.schema", `must be the name of a schema, of 1 to ${SCHEMA_BYTES} bytes without NUL`);
  }
  if (typeof prepare !== "boolean") problems.add("options.prepare", "must be true or false");
  if (server !== null && server !== "postgres" && server !== "yugabyte") {
    problems.add("options.server", 'must be "postgres" or "yugabyte"');
  }
  problems.throwConfiguration();
  return { schema, prepare, server } as ResolvedPgOptions;
}

function isSchemaName(value: unknown): boolean {
  if (typeof value !== "string" || value.length === 0 || value.includes("\0") || !value.isWellFormed()) return false;
  return Buffer.byteLength(value) <= SCHEMA_BYTES;
}

/** What a Postgres error code means to somebody who migrates. The server's own text may hold SQL and values. */

const WORDS: Readonly<Record<string, string>> = {
  "08P01": "the server, or a pooler in front of it, refuses a setting of the connection",
  "0A000": "the server does not support what the statement does",
  "25006": "the server is read-only",
  "25P03": "the transaction was idle for too long",
  "28000": "the server does not let this user in",
  "28P01": "wrong user or password",
  "3D000": "the database does not exist",
  "3F000": "the schema does not exist",
  "40P01": "deadlock",
  "42501": "not permitted",
  "42704": "an object that should be there is missing",
  "42710": "an object of that name exists already",
  "42723": "a function of that name exists already",
  "42P01": "a table that should be there is missing",
  "42P07": "a table or an index of that name exists already",
  "53100": "the server's disk is full",
  "53300": "the server has too many connections",
  "55P03": "a lock was not available in time",
  "57014": "cancelled: the statement timeout, see --statement-timeout, or somebody's request",
  "57P01": "the server is shutting down",
  "57P03": "the server is starting up or shutting down",
};

/** The code with what it means, as far as that is known. */
export function describeSqlState(code: string): string {
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words === undefined ? code : `${code}, ${words}`;
}

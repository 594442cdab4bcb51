/**
 * What the driver needs of `pg`, as shapes: a `Pool`, `PoolClient` or `Client` of `pg` fits, and so does anything that
 * behaves like one. No types of `pg` are needed to use the driver.
 */

/**
 * A transaction that the application owns: anything that runs a parameterized statement on the connection where the
 * transaction is open. A client of `pg` fits; an adapter for another library is an ordinary object with this method.
 *
 * Values are strings and nulls, and every column that River asks for is of type `text`.
 *
 * @addition
 */
export interface PgTransaction {
  /** Rows by column name, in the order of the columns. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** A message on a channel. */
export interface PgNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/**
 * One connection of `pg`: a connected `Client`, or a client that a pool lent.
 *
 * @addition
 */
export interface PgClient extends PgTransaction {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: PgNotification) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "end", listener: () => void): unknown;
  removeListener(event: "notification", listener: (message: PgNotification) => void): unknown;
}

/**
 * A connection that a pool lent.
 *
 * @addition
 */
export interface PgPoolClient extends PgClient {
  /** Gives the connection back; `true` closes it instead. */
  release(destroy?: boolean): void;
}

/**
 * A pool of connections: a `Pool` of `pg`.
 *
 * @addition
 */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  /** `max` is the greatest number of connections. */
  readonly options?: { readonly max?: number | null | undefined } | undefined;
  /** The driver listens once, so that an idle connection which breaks does not end the process. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Whether `value` is a pool. A client of `pg` has `connect` as well, but never a count of connections. */
export function isPool(value: object): value is PgPool {
  return "connect" in value && typeof value.connect === "function" && "totalCount" in value;
}

/** Whether `value` is a client of the JavaScript implementation of `pg`, which takes statements as objects. */
export function isPgClient(value: object): value is PgClient {
  return (
    "getTypeParser" in value &&
    typeof value.getTypeParser === "function" &&
    "connection" in value &&
    typeof value.connection === "object"
  );
}

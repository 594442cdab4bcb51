/** Cross-cutting arguments of a driver verb: where it runs, under which clock, for how long. */

/** A transaction that the application owns. River runs statements in it and never commits or rolls it back. */
export interface CallerScope<Tx> {
  readonly owner: "caller";
  readonly tx: Tx;
}

/** A transaction that the driver opened in `transaction()`; only that driver can read the handle. */
export interface OwnScope {
  readonly owner: "river";
  readonly handle: object;
}

/** Transaction in which a verb runs. */
export type Scope<Tx> = CallerScope<Tx> | OwnScope;

/** Options every verb accepts. */
export interface DriverCall<Tx> {
  /** Absent: the verb is one atomic unit on the driver's own connection. */
  readonly scope?: Scope<Tx> | undefined;
  /** Absent: the database clock. Present: a test's clock takes its place. */
  readonly now?: Temporal.Instant | undefined;
  /** Milliseconds after which the statement is abandoned with a retryable `DatabaseOperationError`. */
  readonly timeoutMs?: number | undefined;
}

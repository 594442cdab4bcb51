/** What a backend can and cannot do. The core reads traits and never compares backend names. */

/** Database family behind a driver. */
export type Backend = "postgres" | "sqlite";

/** Facts about a driver, constant but for `listens`. */
export interface DriverTraits {
  /**
   * Notices reach `notices.listen` subscribers; without it a client works as with `pollOnly`. It may turn false when the
   * first session is opened, because only then a driver knows its server.
   */
  readonly listens: boolean;
  /** One writer at a time: a lock held by another session delays every write of this driver. */
  readonly singleWriter: boolean;
  /** A configured schema qualifies the tables. */
  readonly schemas: boolean;
  /** What is kept of a stored time. */
  readonly timePrecision: "microseconds" | "milliseconds";
  /** Notices are rows that a leader must clean up (`notices.deleteExpired`). */
  readonly outbox: boolean;
}

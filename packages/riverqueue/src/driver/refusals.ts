/** Rows that the database refuses to change, for a trigger or a foreign key of the application's, a value or a constraint. */

/**
 * How a verb that takes what comes first is kept from meeting the same refused rows again and again. Jobs go by their ID,
 * queues by their name.
 */
export interface Refusals<Id = bigint> {
  /** Rows refused before; they are left alone. */
  readonly known: readonly Id[];
  /** Told about each row that is refused now, once a call. Must not throw. */
  note(id: Id, error: unknown): void;
}

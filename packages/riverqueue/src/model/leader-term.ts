/** A term of leadership. It is identified by `leaderId` and `electedAt` together, exactly as the database issued them. */

/** One client's lease on leadership of a database and schema. */
export interface LeaderTerm {
  /** Client ID of the leader. */
  readonly leaderId: string;
  readonly electedAt: Temporal.Instant;
  /** When the lease ends unless it is renewed. */
  readonly expiresAt: Temporal.Instant;
}

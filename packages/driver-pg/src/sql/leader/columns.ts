/** Fragments that statements on `river_leader` share. */
import { readable, type Dialect } from "../../connection/dialect.ts";

/** The columns of a term in the order that `leaderTerm` reads. */
export function termColumns(d: Dialect): string {
  return ["leader_id", "elected_at", "expires_at"].map((column) => readable(d, `term.${column}`, column)).join(", ");
}

/**
 * The given term is the present one: a condition that fences statements of maintenance.
 *
 * No lock is taken: a leader that has been stopped in the middle must not keep the next one from being elected. The clock
 * is read at that moment, because a transaction may have begun long before.
 */
export function holdsTerm(d: Dialect, leaderId: string, electedAt: string, now: string): string {
  return `EXISTS (SELECT 1 FROM ${d.prefix}river_leader AS term
    WHERE term.leader_id = ${leaderId}::text AND term.elected_at = ${electedAt}::timestamptz
      AND term.expires_at >= coalesce(${now}::timestamptz, clock_timestamp()))`;
}

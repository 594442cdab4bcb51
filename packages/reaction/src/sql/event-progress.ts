/**
 * How the row of an event follows its commands. On Postgres the row counts: concurrent writers of one event queue up at
 * it, and each adds its own difference to what the one before left, which a count over the commands' rows, read from the
 * statement's snapshot, would not. SQLite has one writer at a time and no data-modifying common table expressions, so
 * there a second statement counts anew; it changes nothing when the first has changed nothing.
 */
import { raw, sql, type SqlFragment } from "./sql-text.ts";
import type { SqlTerms } from "./sql-terms.ts";

const OPEN = "status in ('pending', 'running', 'retryable')";
const REVIEW = "status = 'needs_review'";
const FAILED = "status = 'failed'";

/** By how much written commands change the counts of their event. */
export interface CountChange {
  readonly open: SqlFragment;
  readonly review: SqlFragment;
  readonly failed: SqlFragment;
}

/** What else a write says about the event. */
export interface EventChange {
  /** The status while commands are left. */
  readonly openStatus: SqlFragment;
  /** When the sweeper looks next, while commands are left. */
  readonly nextSweepAt: SqlFragment;
}

/** Assignments for Postgres, adding `change` to the counts of the row, whose alias is `e`. */
export function countedProgress(terms: SqlTerms, change: CountChange, event: EventChange): SqlFragment {
  return progress(terms, event, raw("e.status"), {
    open: counted("open_commands", change.open),
    review: counted("review_commands", change.review),
    failed: counted("failed_commands", change.failed),
  });
}

function counted(name: string, by: SqlFragment): SqlFragment {
  return sql`(${raw(`e.${name}`)} + ${by})`;
}

/** Assignments for SQLite, counting the commands of the row. */
export function recountedProgress(terms: SqlTerms, event: EventChange): SqlFragment {
  const count = (condition: string): SqlFragment =>
    sql`(select count(*) from ${terms.command} as c where c.event_id = ${terms.event}.id and ${raw(condition)})`;
  return progress(terms, event, raw("status"), { open: count(OPEN), review: count(REVIEW), failed: count(FAILED) });
}

/** Columns for SQLite that count the commands `c` of a group, for {@link groupedProgress}. */
export const GROUP_COUNTS: SqlFragment = raw(
  `sum(c.${OPEN}) as open, sum(c.${REVIEW}) as review, sum(c.${FAILED}) as failed`,
);

/** Assignments for SQLite from the counts in `m`. */
export function groupedProgress(terms: SqlTerms, event: EventChange): SqlFragment {
  return progress(terms, event, raw("status"), {
    open: raw("m.open"),
    review: raw("m.review"),
    failed: raw("m.failed"),
  });
}

function progress(
  terms: SqlTerms,
  { openStatus, nextSweepAt }: EventChange,
  status: SqlFragment,
  counts: { readonly open: SqlFragment; readonly review: SqlFragment; readonly failed: SqlFragment },
): SqlFragment {
  const { open, review, failed } = counts;
  return sql`open_commands = ${open}, review_commands = ${review}, failed_commands = ${failed},
    status = case
      when ${open} > 0 then ${openStatus}
      when ${review} > 0 then case when ${status} in ('completed', 'failed') then 'dispatched' else ${status} end
      when ${failed} > 0 then 'failed'
      else 'completed'
    end,
    finished_at = case when ${open} = 0 and ${review} = 0 then ${terms.now} end,
    next_sweep_at = case when ${open} > 0 then ${nextSweepAt} end`;
}

/**
 * Promotion of due jobs. The statements of one call are one transaction.
 *
 * - Differs because rows have locks: due rows are locked as they are read, those locked by others are left to the next
 *   pass, and a key that somebody takes meanwhile is met as a unique violation.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { holdsUniqueKey } from "./columns.ts";

function firstOf(d: Dialect, state: string): string {
  return `(SELECT state, queue, priority FROM ${d.prefix}river_job WHERE state = '${state}'
      ORDER BY queue, priority LIMIT 1)`;
}

/**
 * Due rows in order, locked. 1 time, 2 limit. Returns ID, queue, scheduled time, key in hexadecimal or null, mask or null.
 *
 * Index: `river_job_prioritized_fetching_index` starts with state, queue and priority, so due rows are read lane by lane
 * (a lane is one state, queue and priority): the cost grows with the lanes and the due rows, never with what waits.
 */
export const DUE: SqlTemplate = (d) => `WITH RECURSIVE lane AS (
    (${firstOf(d, "retryable")} UNION ALL ${firstOf(d, "scheduled")})
    UNION ALL
    SELECT next.state, next.queue, next.priority FROM lane CROSS JOIN LATERAL (
      SELECT job.state, job.queue, job.priority FROM ${d.prefix}river_job AS job
      WHERE job.state = lane.state AND (job.queue, job.priority) > (lane.queue, lane.priority)
      ORDER BY job.queue, job.priority LIMIT 1
    ) AS next
  )
  SELECT due.id::text AS id, due.queue, due.scheduled_at::text AS scheduled_at,
    encode(due.unique_key, 'hex')::text AS unique_key, due.unique_states::integer::text AS unique_states
  FROM ${d.prefix}river_job AS due
  WHERE due.id = ANY (ARRAY(
      SELECT first.id FROM lane CROSS JOIN LATERAL (
        SELECT job.id, job.priority, job.scheduled_at FROM ${d.prefix}river_job AS job
        WHERE job.state = lane.state AND job.queue = lane.queue AND job.priority = lane.priority
          AND job.scheduled_at <= $1::timestamptz
        ORDER BY job.scheduled_at, job.id LIMIT $2::bigint
      ) AS first
      ORDER BY first.priority, first.scheduled_at, first.id LIMIT $2::bigint
    ))
    AND CASE WHEN due.state IN ('retryable', 'scheduled') THEN due.scheduled_at <= $1::timestamptz ELSE false END
  ORDER BY due.priority, due.scheduled_at, due.id
  FOR UPDATE OF due SKIP LOCKED`;

/** Who holds keys. 1 keys in hexadecimal. Returns ID and key. Index: `river_job_unique_idx`. */
export const KEY_HOLDERS: SqlTemplate = (
  d,
) => `SELECT holder.id::text AS id, encode(holder.unique_key, 'hex') AS unique_key
  FROM unnest($1::text[]) AS wanted (unique_key)
    JOIN ${d.prefix}river_job AS holder ON holder.unique_key = decode(wanted.unique_key, 'hex')
  WHERE ${holdsUniqueKey(d, "holder")}`;

/** Makes rows available. 1 IDs. Index: the primary key. */
export const SET_AVAILABLE: SqlTemplate = (d) =>
  `UPDATE ${d.prefix}river_job AS job SET state = 'available' WHERE job.id = ANY ($1::bigint[])`;

/** Discards rows whose key is taken. 1 IDs, 2 time. Index: the primary key. */
export const SET_DISCARDED: SqlTemplate = (d) => `UPDATE ${d.prefix}river_job AS job SET
    state = 'discarded',
    finalized_at = $2::timestamptz,
    metadata = CASE WHEN jsonb_typeof(job.metadata) = 'object'
      THEN job.metadata || '{"unique_key_conflict": "scheduler_discarded"}'::jsonb ELSE job.metadata END
  WHERE job.id = ANY ($1::bigint[])`;

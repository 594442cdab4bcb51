/**
 * Rows in each state, counted up to a cap.
 *
 * - Parameters: 1 states, 2 cap + 1. Result: state and count. Locks: none.
 * - Index: `river_job_prioritized_fetching_index`. The order is that of the index: without it the planner, which does not
 *   know the state beforehand, takes a table of a single state for one that it may read from the front, and reads all of
 *   it for each state without rows.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";

export const COUNT_STATES: SqlTemplate = (d) => `SELECT wanted.state, counted.rows::text AS rows
  FROM unnest($1::text[]) WITH ORDINALITY AS wanted (state, place) CROSS JOIN LATERAL (
    SELECT count(*) AS rows FROM (
      SELECT 1 FROM ${d.prefix}river_job AS job
      WHERE job.state = wanted.state::${d.prefix}river_job_state
      ORDER BY job.queue, job.priority, job.scheduled_at, job.id LIMIT $2::bigint
    ) AS limited
  ) AS counted
  ORDER BY wanted.place`;

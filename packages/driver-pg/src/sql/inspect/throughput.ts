/**
 * Jobs finalized per minute and state, from the latest ones.
 *
 * - Parameters: 1 minutes, 2 cap for each state. Result: minute, state, count; minutes without jobs have nulls.
 * - Locks: none. Index: `river_job_state_and_finalized_at_index`.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";

export const FINALIZED_PER_MINUTE: SqlTemplate = (d) => `WITH span AS (
    SELECT date_trunc('minute', now()) - ($1::integer - 1) * interval '1 minute' AS start
  ), minute AS (
    SELECT span.start + place * interval '1 minute' AS at FROM span, generate_series(0, $1::integer - 1) AS place
  ), counted AS (
    SELECT date_trunc('minute', latest.finalized_at) AS at, ended.state, count(*) AS rows
    FROM unnest('{cancelled,completed,discarded}'::text[]) AS ended (state) CROSS JOIN LATERAL (
      SELECT job.finalized_at FROM ${d.prefix}river_job AS job
      WHERE job.state = ended.state::${d.prefix}river_job_state AND job.finalized_at >= (SELECT start FROM span)
      ORDER BY job.finalized_at DESC LIMIT $2::bigint
    ) AS latest
    GROUP BY 1, 2
  )
  SELECT minute.at::text AS minute, counted.state, counted.rows::text AS rows
  FROM minute LEFT JOIN counted ON counted.at = minute.at ORDER BY minute.at`;

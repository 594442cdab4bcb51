/**
 * Ends stuck attempts.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null, 4 horizon, 5 JSON array of objects (`id`, `state`,
 *   `finalized_at`, `scheduled_at`, `error`, `metadata`).
 * - Result: whether the term holds, and the number of rows rescued. Rows that left `running` or were claimed again since
 *   are left alone.
 * - Locks: the rows; locked ones are left to the next pass. Index: the primary key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "../leader/columns.ts";
import { appendedErrors, mergedMetadata } from "./columns.ts";

export const RESCUE: SqlTemplate = (d) => `WITH fence AS MATERIALIZED (
    SELECT ${holdsTerm(d, "$1", "$2", "$3")} AS holds
  ), wanted AS MATERIALIZED (
    SELECT * FROM json_to_recordset($5::json) AS wanted (
      id bigint, state ${d.prefix}river_job_state, finalized_at timestamptz, scheduled_at timestamptz, error jsonb,
      metadata jsonb
    )
  ), held AS MATERIALIZED (
    SELECT job.id FROM wanted JOIN ${d.prefix}river_job AS job ON job.id = wanted.id
    WHERE CASE WHEN job.state = 'running' THEN job.attempted_at < $4::timestamptz ELSE false END
      AND (SELECT holds FROM fence)
    FOR UPDATE OF job SKIP LOCKED
  ), rescued AS (
    UPDATE ${d.prefix}river_job AS job SET
      state = wanted.state,
      finalized_at = wanted.finalized_at,
      scheduled_at = coalesce(wanted.scheduled_at, job.scheduled_at),
      errors = ${appendedErrors("job", "wanted.error")},
      metadata = ${mergedMetadata("job", "wanted.metadata")}
    FROM held JOIN wanted ON wanted.id = held.id
    WHERE job.id = held.id
    RETURNING job.id
  )
  SELECT (SELECT holds FROM fence)::text AS holds, (SELECT count(*) FROM rescued)::text AS rescued`;

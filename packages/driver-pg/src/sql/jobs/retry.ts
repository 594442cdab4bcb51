/**
 * Makes a job available now.
 *
 * - Parameters: 1 ID, 2 now or null.
 * - Result: `jobColumns` of the job as it is then; unchanged when it is running, or available and due already; none when
 *   it is missing.
 * - Locks: the row. Index: the primary key.
 * - Fails with a unique violation when another row holds the key.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { jobColumns, timeNow } from "./columns.ts";

export const RETRY: SqlTemplate = (d) => `WITH present AS MATERIALIZED (
    SELECT job.* FROM ${d.prefix}river_job AS job WHERE job.id = $1::bigint FOR UPDATE
  ), retried AS (
    UPDATE ${d.prefix}river_job AS job SET
      state = 'available',
      scheduled_at = ${timeNow("$2")},
      finalized_at = NULL,
      max_attempts = CASE WHEN job.attempt = job.max_attempts
        THEN least(job.max_attempts + 1, 32767) ELSE job.max_attempts END,
      metadata = CASE WHEN jsonb_typeof(job.metadata) = 'object'
        THEN job.metadata - 'cancel_attempted_at' ELSE job.metadata END
    FROM present
    WHERE job.id = present.id AND present.state <> 'running'
      AND NOT (present.state = 'available' AND present.scheduled_at < ${timeNow("$2")})
    RETURNING job.*
  )
  SELECT ${jobColumns(d)} FROM (
    SELECT * FROM retried
    UNION ALL
    SELECT * FROM present WHERE NOT EXISTS (SELECT 1 FROM retried)
  ) AS job`;

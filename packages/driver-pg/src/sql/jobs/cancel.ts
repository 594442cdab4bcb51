/**
 * Cancels a job that is not finalized, and tells every client; a running one is only marked.
 *
 * - Parameters: 1 ID, 2 now or null, 3 mark (RFC 3339 text).
 * - Result: `jobColumns` of the job as it is then, changed or not; none when it is missing.
 * - Locks: the row. Index: the primary key.
 * - The mark of a running job is never older than its claim, which it would not be taken to be meant for: clocks differ,
 *   and a request may have waited for the claim's lock.
 * - Fails with a unique violation when `cancelled` is in the row's mask, its present state is not, and another row holds
 *   the key.
 * - Differs because the notice is written by the statement, as the other clients do.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { jobColumns, timeNow } from "./columns.ts";

export const CANCEL: SqlTemplate = (d) => {
  const payload = "json_build_object('action', 'cancel', 'job_id', id, 'queue', queue)::text";
  const notice = d.notifies ? `pg_notify(${d.schema} || '.river_control', ${payload})::text` : "NULL::text";
  return `WITH present AS MATERIALIZED (
    SELECT job.* FROM ${d.prefix}river_job AS job WHERE job.id = $1::bigint FOR UPDATE
  ), cancelled AS (
    UPDATE ${d.prefix}river_job AS job SET
      state = CASE WHEN job.state = 'running' THEN job.state ELSE 'cancelled' END,
      finalized_at = CASE WHEN job.state = 'running' THEN job.finalized_at ELSE ${timeNow("$2")} END,
      metadata = CASE WHEN jsonb_typeof(job.metadata) = 'object'
        THEN jsonb_set(job.metadata, '{cancel_attempted_at}', CASE
          WHEN job.state = 'running' AND job.attempted_at BETWEEN $3::text::timestamptz AND ${timeNow("$2")}
            THEN to_jsonb(job.attempted_at)
          ELSE to_jsonb($3::text) END) ELSE job.metadata END
    FROM present WHERE job.id = present.id AND present.state NOT IN ('cancelled', 'completed', 'discarded')
    RETURNING job.*
  ), notified AS MATERIALIZED (SELECT ${notice} AS sent FROM cancelled)
  SELECT ${jobColumns(d)} FROM (
    SELECT * FROM cancelled
    UNION ALL
    SELECT * FROM present WHERE NOT EXISTS (SELECT 1 FROM cancelled)
  ) AS job, (SELECT count(*) FROM notified) AS n`;
};

/**
 * The backlog of queues.
 *
 * - Parameters: 1 limit, 2 cap + 1, 3 now or null.
 * - Result: name, available, running, earliest scheduled time of a job that could be claimed. Queues are those with a row
 *   of their own and those with available or running jobs, found by one step in the index each.
 * - Locks: none. Index: `river_job_prioritized_fetching_index`, whose order keeps the planner to it whatever its
 *   statistics say.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";

function busy(d: Dialect, state: string): string {
  return `SELECT name FROM (
      WITH RECURSIVE step AS (
        (SELECT queue AS name FROM ${d.prefix}river_job WHERE state = '${state}' ORDER BY queue LIMIT 1)
        UNION ALL
        SELECT next.queue FROM step CROSS JOIN LATERAL (
          SELECT queue FROM ${d.prefix}river_job WHERE state = '${state}' AND queue > step.name ORDER BY queue LIMIT 1
        ) AS next
      )
      SELECT name FROM step LIMIT $1::bigint
    ) AS ${state}_queues`;
}

export const QUEUE_DEPTHS: SqlTemplate = (d) => `WITH named AS MATERIALIZED (
    SELECT name FROM (
      SELECT name FROM ${d.prefix}river_queue
      UNION ${busy(d, "available")}
      UNION ${busy(d, "running")}
    ) AS every ORDER BY name COLLATE "C" LIMIT $1::bigint
  )
  SELECT named.name,
    (SELECT count(*) FROM (
      SELECT 1 FROM ${d.prefix}river_job AS job WHERE job.state = 'available' AND job.queue = named.name
        AND job.scheduled_at <= coalesce($3::timestamptz, now())
      ORDER BY job.priority, job.scheduled_at, job.id LIMIT $2::bigint
    ) AS limited)::text AS available,
    (SELECT count(*) FROM (
      SELECT 1 FROM ${d.prefix}river_job AS job WHERE job.state = 'running' AND job.queue = named.name
      ORDER BY job.priority, job.scheduled_at, job.id LIMIT $2::bigint
    ) AS limited)::text AS running,
    (SELECT min(earliest.at) FROM unnest('{1,2,3,4}'::smallint[]) AS lane (priority) CROSS JOIN LATERAL (
      SELECT job.scheduled_at AS at FROM ${d.prefix}river_job AS job
      WHERE job.state = 'available' AND job.queue = named.name AND job.priority = lane.priority
        AND job.scheduled_at <= coalesce($3::timestamptz, now())
      ORDER BY job.scheduled_at LIMIT 1
    ) AS earliest)::text AS oldest
  FROM named ORDER BY named.name COLLATE "C"`;

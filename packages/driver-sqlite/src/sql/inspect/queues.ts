/**
 * The backlog of queues. Locks: none. Index: `river_job_prioritized_fetching_index`.
 */

/** Queues with a row of their own or with available or running jobs, one step in the index each. 1 limit. Returns names. */
export const QUEUE_NAMES: string = `WITH RECURSIVE busy (state, name) AS (
    SELECT 'available', (SELECT min(queue) FROM river_job WHERE state = 'available')
    UNION ALL
    SELECT 'running', (SELECT min(queue) FROM river_job WHERE state = 'running')
    UNION ALL
    SELECT busy.state, (SELECT min(job.queue) FROM river_job AS job WHERE job.state = busy.state AND job.queue > busy.name)
    FROM busy WHERE busy.name IS NOT NULL
  )
  SELECT name FROM (
    SELECT name FROM river_queue UNION SELECT name FROM (SELECT name FROM busy LIMIT 2 * ?1 + 2) WHERE name IS NOT NULL
  ) ORDER BY name LIMIT ?1`;

/** Jobs that could be claimed, counted up to a cap. 1 queue, 2 now, 3 cap + 1. Returns the count. */
export const COUNT_CLAIMABLE: string = `SELECT count(*) FROM (
    SELECT 1 FROM river_job WHERE state = 'available' AND queue = ?1 AND scheduled_at <= ?2 LIMIT ?3
  )`;

/** Running jobs, counted up to a cap. 1 queue, 2 cap + 1. Returns the count. */
export const COUNT_RUNNING =
  "SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = 'running' AND queue = ?1 LIMIT ?2)";

/** Earliest scheduled time of a job that could be claimed, one step a priority. 1 queue, 2 now. Null when none waits. */
export const OLDEST_WAITING: string = `SELECT min(earliest) FROM (
    SELECT (
      SELECT scheduled_at FROM river_job
      WHERE state = 'available' AND queue = ?1 AND priority = lane.value AND scheduled_at <= ?2
      ORDER BY scheduled_at LIMIT 1
    ) AS earliest
    FROM json_each('[1,2,3,4]') AS lane
  )`;

/**
 * Promotion of due jobs. The statements of one call are one transaction, under the write lock.
 *
 * - Differs because the index starts with state, queue and priority: due rows are read lane by lane (a lane is one
 *   state, queue and priority), so that the cost grows with the lanes and the due rows, never with what waits.
 */
import { HOLDS_UNIQUE_KEY } from "./columns.ts";

/**
 * The lanes that have rows. No parameters. Returns state, queue, priority.
 * Index: `river_job_prioritized_fetching_index`, one step a lane.
 */
export const LANES: string = `WITH RECURSIVE lane (id) AS (
    SELECT * FROM (
      SELECT id FROM river_job WHERE state = 'retryable' ORDER BY queue, priority, scheduled_at, id LIMIT 1
    )
    UNION ALL
    SELECT * FROM (
      SELECT id FROM river_job WHERE state = 'scheduled' ORDER BY queue, priority, scheduled_at, id LIMIT 1
    )
    UNION ALL
    SELECT coalesce(
      (
        SELECT later.id FROM river_job AS later
        WHERE later.state = this.state AND later.queue = this.queue AND later.priority > this.priority
        ORDER BY later.priority, later.scheduled_at, later.id LIMIT 1
      ),
      (
        SELECT later.id FROM river_job AS later
        WHERE later.state = this.state AND later.queue > this.queue
        ORDER BY later.queue, later.priority, later.scheduled_at, later.id LIMIT 1
      )
    )
    FROM lane JOIN river_job AS this ON this.id = lane.id
    WHERE lane.id IS NOT NULL
  )
  SELECT job.state, job.queue, job.priority FROM lane JOIN river_job AS job ON job.id = lane.id`;

/**
 * Due rows of one lane. 1 state, 2 queue, 3 priority, 4 time, 5 limit. Returns ID, queue, priority, scheduled time, mask
 * or null, unique key in hexadecimal or null. Index: `river_job_prioritized_fetching_index`.
 */
export const DUE: string = `SELECT id, queue, priority, scheduled_at, unique_states, hex(unique_key) FROM river_job
  WHERE state = ?1 AND queue = ?2 AND priority = ?3 AND scheduled_at <= ?4
  ORDER BY scheduled_at, id LIMIT ?5`;

/** Who holds keys. 1 JSON array of keys in hexadecimal. Returns ID and key. Index: `river_job_unique_idx`. */
export const KEY_HOLDERS: string = `SELECT id, hex(unique_key) FROM river_job
  WHERE unique_key IN (SELECT unhex(value) FROM json_each(?1)) AND ${HOLDS_UNIQUE_KEY}`;

/** Makes rows available. 1 JSON array of IDs. Index: the primary key. */
export const SET_AVAILABLE = "UPDATE river_job SET state = 'available' WHERE id IN (SELECT value FROM json_each(?1))";

/** Discards rows whose key is taken. 1 JSON array of IDs, 2 time. Index: the primary key. */
export const SET_DISCARDED: string = `UPDATE river_job SET
    state = 'discarded',
    finalized_at = ?2,
    metadata = CASE WHEN json_valid(metadata, 10) AND json_type(metadata) = 'object'
      THEN jsonb_set(metadata, '$.unique_key_conflict', 'scheduler_discarded') ELSE metadata END
  WHERE id IN (SELECT value FROM json_each(?1))`;

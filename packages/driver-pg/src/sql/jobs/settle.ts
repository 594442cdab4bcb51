/**
 * Writes ends of attempts.
 *
 * - Locks: the rows that are written; rows that others have locked are left out, and so never wait or hold up others.
 * - Index: the primary key. The ownership test is a CASE so that the planner cannot take the few `running` rows that
 *   its statistics know of for the better way in: that turned 1,000 completions into a million comparisons.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { appendedErrors, hasCancelMark, jobColumns, lastClient, mergedMetadata, timeNow } from "./columns.ts";

function held(d: Dialect): string {
  return `WITH held AS MATERIALIZED (
    SELECT job.id, ended.at
    FROM unnest($1::bigint[], $2::integer[], $3::timestamptz[]) AS ended (id, attempt, at)
      JOIN ${d.prefix}river_job AS job ON job.id = ended.id
    WHERE CASE WHEN job.state = 'running' AND job.attempt = ended.attempt AND ${lastClient("job")} = $4::text
      THEN true ELSE false END
    FOR UPDATE OF job SKIP LOCKED
  )`;
}

function complete(d: Dialect, returning: string): string {
  return `${held(d)}
  UPDATE ${d.prefix}river_job AS job SET state = 'completed', finalized_at = held.at
  FROM held WHERE job.id = held.id
  RETURNING ${returning}`;
}

/** Completes owned attempts. 1 IDs, 2 attempts, 3 finalized times, 4 client ID. Returns the IDs written. */
export const COMPLETE: SqlTemplate = (d) => complete(d, "job.id::text AS id");

/** The same, returning `jobColumns`. */
export const COMPLETE_RETURNING_ROWS: SqlTemplate = (d) => complete(d, jobColumns(d));

/** Deletes rows of owned attempts. The parameters of `COMPLETE`. Returns the IDs deleted. */
export const COMPLETE_DELETING: SqlTemplate = (d) => `${held(d)}
  DELETE FROM ${d.prefix}river_job AS job USING held WHERE job.id = held.id
  RETURNING job.id::text AS id`;

/**
 * Finds attempts that have completed their rows before, as in a transaction of their handlers. 1 IDs, 2 attempts, 3 client
 * ID. Returns the IDs. Locks nothing: a row that is completed is nobody's to write.
 */
export const FIND_COMPLETED: SqlTemplate = (d) => `SELECT job.id::text AS id
  FROM unnest($1::bigint[], $2::integer[]) AS ended (id, attempt)
    JOIN ${d.prefix}river_job AS job ON job.id = ended.id
  WHERE CASE WHEN job.state = 'completed' AND job.attempt = ended.attempt AND ${lastClient("job")} = $3::text
    THEN true ELSE false END`;

const OVERRIDDEN = "held.cancelled";

function end(requested: string, otherwise: string): string {
  return `CASE WHEN held.owned THEN ${requested} ELSE ${otherwise} END`;
}

/**
 * Settles attempts of any outcome.
 *
 * - Parameters: 1 JSON array of objects (`id`, `attempt`, `client`, `state`, `new_attempt`, `finalized_at`,
 *   `scheduled_at`, `error`, `metadata`, `delete_row`), 2 now or null.
 * - Result: `jobColumns` of the row afterwards, then ID and outcome, one row a settlement. A row that would run again and
 *   carries a cancel mark becomes `cancelled`. A row that left `running` with the same attempt only has metadata merged.
 */
export const SETTLE: SqlTemplate = (d) => `WITH wanted AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS wanted (
      id bigint, attempt integer, client text, state ${d.prefix}river_job_state, new_attempt integer,
      finalized_at timestamptz, scheduled_at timestamptz, error jsonb, metadata jsonb, delete_row boolean
    )
  ), held AS MATERIALIZED (
    SELECT job.*, wanted.state AS new_state, wanted.new_attempt, wanted.finalized_at AS new_finalized_at,
      wanted.scheduled_at AS new_scheduled_at, wanted.error, wanted.metadata AS updates, wanted.delete_row,
      job.attempt = wanted.attempt AND ${lastClient("job")} IS NOT DISTINCT FROM wanted.client AS same,
      CASE WHEN job.state = 'running' AND job.attempt = wanted.attempt
        AND ${lastClient("job")} = wanted.client THEN true ELSE false END AS owned,
      wanted.state IN ('available', 'retryable', 'scheduled') AND ${hasCancelMark("job")} AS cancelled
    FROM wanted JOIN ${d.prefix}river_job AS job ON job.id = wanted.id
    FOR UPDATE OF job SKIP LOCKED
  ), settled AS MATERIALIZED (
    SELECT held.id, held.kind, held.queue, held.priority, held.max_attempts, held.args, held.tags, held.attempted_by,
      held.created_at, held.attempted_at, held.unique_key, held.unique_states, held.owned, held.same,
      ${end(`CASE WHEN ${OVERRIDDEN} THEN 'cancelled' ELSE held.new_state END`, "held.state")} AS state,
      ${end(`CASE WHEN ${OVERRIDDEN} THEN held.attempt ELSE coalesce(held.new_attempt, held.attempt) END`, "held.attempt")}
        AS attempt,
      ${end(`CASE WHEN ${OVERRIDDEN} THEN ${timeNow("$2")} ELSE held.new_finalized_at END`, "held.finalized_at")}
        AS finalized_at,
      ${end(
        `CASE WHEN ${OVERRIDDEN} THEN held.scheduled_at ELSE coalesce(held.new_scheduled_at, held.scheduled_at) END`,
        "held.scheduled_at",
      )} AS scheduled_at,
      CASE WHEN held.owned AND held.error IS NOT NULL
        THEN ${appendedErrors("held", "held.error")} ELSE held.errors END AS errors,
      CASE WHEN held.same AND held.updates IS NOT NULL
        THEN ${mergedMetadata("held", "held.updates")} ELSE held.metadata END AS metadata,
      held.owned AND held.delete_row AS deletes,
      held.owned AND NOT held.delete_row OR NOT held.owned AND held.same AND held.updates IS NOT NULL AS writes
    FROM held
  ), written AS (
    UPDATE ${d.prefix}river_job AS job SET
      state = settled.state, attempt = settled.attempt, finalized_at = settled.finalized_at,
      scheduled_at = settled.scheduled_at, errors = settled.errors, metadata = settled.metadata
    FROM settled WHERE job.id = settled.id AND settled.writes
  ), deleted AS (
    DELETE FROM ${d.prefix}river_job AS job USING settled WHERE job.id = settled.id AND settled.deletes
  )
  SELECT ${jobColumns(d, "settled")}, wanted.id::text AS wanted_id,
    CASE
      WHEN settled.owned THEN 'settled'
      WHEN settled.same THEN 'merged'
      WHEN settled.id IS NOT NULL THEN 'superseded'
      WHEN EXISTS (SELECT 1 FROM ${d.prefix}river_job AS seen WHERE seen.id = wanted.id) THEN 'locked'
      ELSE 'missing'
    END AS outcome
  FROM wanted LEFT JOIN settled ON settled.id = wanted.id`;

/**
 * Deletes old finalized rows, lowest IDs first.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null, 4, 5, 6 the times before which cancelled, completed and
 *   discarded rows go, null to keep that state, 7 limit.
 * - Result: whether the term holds, and the number of rows deleted.
 * - Locks: the rows; locked ones are left to the next pass.
 * - Index: `river_job_state_and_finalized_at_index`, one range a state. IDs are sorted as `id + 0`, or the planner walks
 *   the whole table in order of ID instead.
 * - `OLD` and `DELETE_OLD` do it in two steps, for tables with rows that cannot be deleted.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "../leader/columns.ts";

function oldRows(d: Dialect, [cancelled, completed, discarded]: readonly [string, string, string]): string {
  const before = (state: string, placeholder: string): string =>
    `SELECT id FROM ${d.prefix}river_job WHERE state = '${state}' AND finalized_at < ${placeholder}::timestamptz`;
  return `${before("cancelled", cancelled)}
        UNION ALL ${before("completed", completed)}
        UNION ALL ${before("discarded", discarded)}`;
}

/** A deletion of the rows that `ids` selects, as far as `still` holds for them once they are locked. */
function fencedDeletion(d: Dialect, ids: string, still: string): string {
  return `WITH fence AS MATERIALIZED (
    SELECT ${holdsTerm(d, "$1", "$2", "$3")} AS holds
  ), held AS MATERIALIZED (
    SELECT job.id FROM ${d.prefix}river_job AS job
    WHERE job.id = ANY (${ids}) AND ${still}
    FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM ${d.prefix}river_job AS job USING held WHERE job.id = held.id RETURNING job.id
  )
  SELECT (SELECT holds FROM fence)::text AS holds, (SELECT count(*) FROM deleted)::text AS deleted`;
}

export const DELETE_FINALIZED: SqlTemplate = (d) =>
  fencedDeletion(
    d,
    `ARRAY(
      SELECT old.id FROM (
        ${oldRows(d, ["$4", "$5", "$6"])}
      ) AS old
      WHERE (SELECT holds FROM fence)
      ORDER BY old.id + 0 LIMIT $7::bigint
    )`,
    "CASE WHEN job.finalized_at IS NULL THEN false ELSE true END",
  );

/**
 * IDs of old rows, lowest first. 1, 2, 3 times as above, 4 ID to go on after, 5 IDs to leave out, 6 limit. Locks: none.
 */
export const OLD: SqlTemplate = (d) => `SELECT old.id::text AS id FROM (
    ${oldRows(d, ["$1", "$2", "$3"])}
  ) AS old
  WHERE old.id > $4::bigint AND old.id <> ALL ($5::bigint[])
  ORDER BY old.id + 0 LIMIT $6::bigint`;

/** Deletes rows by ID as far as they are still old. Parameters as above, but 7 is the IDs. */
export const DELETE_OLD: SqlTemplate = (d) =>
  fencedDeletion(
    d,
    "$7::bigint[]",
    `(SELECT holds FROM fence) AND CASE job.state
      WHEN 'cancelled' THEN job.finalized_at < $4::timestamptz
      WHEN 'completed' THEN job.finalized_at < $5::timestamptz
      WHEN 'discarded' THEN job.finalized_at < $6::timestamptz
    END`,
  );

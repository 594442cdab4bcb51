/**
 * Deletes old finalized rows, lowest IDs first.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null, 4, 5, 6 the times before which cancelled, completed and
 *   discarded rows go, null to keep that state, 7 limit.
 * - Result: whether the term holds, and the number of rows deleted.
 * - Locks: the rows; locked ones are left to the next pass.
 * - Index: `river_job_state_and_finalized_at_index`, one range a state. IDs are sorted as `id + 0`, or the planner walks
 *   the whole table in order of ID instead.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "../leader/columns.ts";

export const DELETE_FINALIZED: SqlTemplate = (d) => {
  const before = (state: string, placeholder: string): string =>
    `SELECT id FROM ${d.prefix}river_job WHERE state = '${state}' AND finalized_at < ${placeholder}::timestamptz`;
  return `WITH fence AS MATERIALIZED (
    SELECT ${holdsTerm(d, "$1", "$2", "$3")} AS holds
  ), held AS MATERIALIZED (
    SELECT job.id FROM ${d.prefix}river_job AS job
    WHERE job.id = ANY (ARRAY(
      SELECT old.id FROM (
        ${before("cancelled", "$4")}
        UNION ALL ${before("completed", "$5")}
        UNION ALL ${before("discarded", "$6")}
      ) AS old
      WHERE (SELECT holds FROM fence)
      ORDER BY old.id + 0 LIMIT $7::bigint
    )) AND CASE WHEN job.finalized_at IS NULL THEN false ELSE true END
    FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM ${d.prefix}river_job AS job USING held WHERE job.id = held.id RETURNING job.id
  )
  SELECT (SELECT holds FROM fence)::text AS holds, (SELECT count(*) FROM deleted)::text AS deleted`;
};

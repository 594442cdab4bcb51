/**
 * Deletes old rows of `river_notification`, which no client writes on Postgres.
 *
 * - Parameters: 1 leader ID, 2 elected time, 3 now or null, 4 time, 5 limit.
 * - Result: whether the term holds, and the number of rows deleted. Locks: the rows.
 * - Index: `river_notification_created_at_idx`.
 */
import type { SqlTemplate } from "../../connection/dialect.ts";
import { holdsTerm } from "../leader/columns.ts";

export const DELETE_EXPIRED_NOTICES: SqlTemplate = (d) => `WITH fence AS MATERIALIZED (
    SELECT ${holdsTerm(d, "$1", "$2", "$3")} AS holds
  ), deleted AS (
    DELETE FROM ${d.prefix}river_notification AS notice WHERE notice.id = ANY (ARRAY(
      SELECT old.id FROM ${d.prefix}river_notification AS old
      WHERE old.created_at < $4::timestamptz AND (SELECT holds FROM fence)
      ORDER BY old.created_at, old.id LIMIT $5::bigint FOR UPDATE SKIP LOCKED
    )) RETURNING 1
  )
  SELECT (SELECT holds FROM fence)::text AS holds, (SELECT count(*) FROM deleted)::text AS deleted`;

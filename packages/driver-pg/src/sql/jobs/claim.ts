/**
 * Claims due jobs of one queue.
 *
 * - Parameters: 1 queue, 2 limit, 3 client ID, 4 now or null, 5 kinds or null; those that resume also 6 priority,
 *   7 scheduled time, 8 ID to go on after.
 * - Result: `jobColumns` of each claimed row, in no defined order.
 * - Locks: the claimed rows; rows that others have locked are skipped.
 * - Index: `river_job_prioritized_fetching_index` gives the order without a sort, the primary key the rows to write.
 * - The locking query is an array, out of the planner's reach: as `IN (SELECT …)` it costs half as much again.
 * - Resuming skips the index entries of jobs claimed before. They are dead, but while some session holds an old snapshot
 *   each scan walks over all of them.
 *
 * Plan, at every size: ModifyTable < (Limit < LockRows < Index Scan on `river_job_prioritized_fetching_index`) and Index
 * Scan on `river_job_pkey`. Server time and pages of one claim of 100 on Postgres 18.4, first with a fresh table, then
 * after half of the table was claimed; `bench/src/claim-plan.ts` measures them again:
 *
 * | rows | old snapshot | first claim | later, from the front | later, resumed |
 * | --- | --- | --- | --- | --- |
 * | 1,000 | none | 1.2 ms, 1,448 pages | 1.1 ms, 1,433 pages | 1.1 ms, 1,423 pages |
 * | 1,000 | held | 1.2 ms, 1,448 pages | 1.0 ms, 1,535 pages | 1.0 ms, 1,541 pages |
 * | 100,000 | none | 1.8 ms, 1,450 pages | 2.2 ms, 1,928 pages | 1.0 ms, 1,512 pages |
 * | 100,000 | held | 1.6 ms, 1,450 pages | 4.4 ms, 2,740 pages | 0.9 ms, 1,527 pages |
 * | 1,000,000 | none | 1.4 ms, 1,482 pages | 7.7 ms, 4,599 pages | 1.1 ms, 1,480 pages |
 * | 1,000,000 | held | 1.6 ms, 1,482 pages | 60.7 ms, 13,582 pages | 1.0 ms, 1,439 pages |
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { appendedClient, jobColumns, timeNow } from "./columns.ts";

function claim(d: Dialect, resume: string): string {
  return `UPDATE ${d.prefix}river_job AS job
  SET state = 'running', attempt = least(job.attempt + 1, 32767), attempted_at = ${timeNow("$4")},
    attempted_by = ${appendedClient("job", "$3")}
  WHERE job.id = ANY (ARRAY(
    SELECT due.id FROM ${d.prefix}river_job AS due
    WHERE due.state = 'available' AND due.queue = $1::text AND due.scheduled_at <= ${timeNow("$4")}
      AND ($5::text[] IS NULL OR due.kind = ANY ($5::text[]))${resume}
    ORDER BY due.priority, due.scheduled_at, due.id
    LIMIT $2::bigint
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING ${jobColumns(d)}`;
}

/** Claims from the front of the queue. */
export const CLAIM: SqlTemplate = (d) => claim(d, "");

/** Claims from behind a position. */
export const CLAIM_BEHIND: SqlTemplate = (d) =>
  claim(
    d,
    `
      AND (due.priority, due.scheduled_at, due.id) > ($6::smallint, $7::timestamptz, $8::bigint)`,
  );

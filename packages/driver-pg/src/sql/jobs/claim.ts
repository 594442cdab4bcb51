/**
 * Claims due jobs of one queue.
 *
 * - Parameters: 1 queue, 2 limit, 3 client ID, 4 now or null, 5 kinds or null; those that resume also 6 priority,
 *   7 scheduled time, 8 ID to go on after; those that leave jobs out take their IDs last.
 * - Result: `jobColumns` of each claimed row, in no defined order.
 * - Locks: the claimed rows; rows that others have locked are skipped.
 * - Index: `river_job_prioritized_fetching_index` gives the order without a sort, the primary key the rows to write.
 * - The locking query is an array, out of the planner's reach: as `IN (SELECT …)` it costs half as much again.
 * - Resuming skips the index entries of jobs claimed before. They are dead, but while some session holds an old snapshot
 *   each scan walks over all of them.
 *
 * Plan, at every size: ModifyTable < (Limit < LockRows < Index Scan on `river_job_prioritized_fetching_index`) and Index
 * Scan on `river_job_pkey`; resuming adds the position to the condition of the first. Server time and pages of one claim
 * of 100 on Postgres 18.4, first with a fresh table, then after half of the table was claimed. Measured on 2026-12-01 by
 *
 *     node --conditions=@riverqueue/source bench/src/claim-plan.ts
 *
 * on two cores at a load of 2.7 to 4.6, so that times are indications, and pages are not:
 *
 * | rows | old snapshot | first claim | later, from the front | later, resumed |
 * | --- | --- | --- | --- | --- |
 * | 1,000 | none | 1.5 ms, 1,448 pages | 1.4 ms, 1,433 pages | as from the front |
 * | 1,000 | held | 1.5 ms, 1,448 pages | 1.3 ms, 1,535 pages | as from the front |
 * | 100,000 | none | 2.1 ms, 1,450 pages | 2.1 ms, 1,924 pages | 1.2 ms, 1,513 pages |
 * | 100,000 | held | 2.5 ms, 1,450 pages | 9.2 ms, 2,740 pages | 2.0 ms, 1,537 pages |
 * | 1,000,000 | none | 3.4 ms, 1,482 pages | 6.8 ms, 4,484 pages | 2.9 ms, 1,497 pages |
 * | 1,000,000 | held | 2.8 ms, 1,482 pages | 92.5 ms, 13,582 pages | 2.0 ms, 1,438 pages |
 *
 * After the 500 jobs claimed of the smallest table the driver does not resume yet.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { appendedClient, jobColumns, timeNow } from "./columns.ts";

const LIMITED = "\n    LIMIT $2::bigint";
const BEHIND = `
      AND (due.priority, due.scheduled_at, due.id) > ($6::smallint, $7::timestamptz, $8::bigint)`;

function isDue(now: string, kinds: string): string {
  return `due.state = 'available' AND due.queue = $1::text AND due.scheduled_at <= ${timeNow(now)}
      AND (${kinds}::text[] IS NULL OR due.kind = ANY (${kinds}::text[]))`;
}

function except(ids: string): string {
  return `
      AND due.id <> ALL (${ids}::bigint[])`;
}

function claim(d: Dialect, also: string, limited: string): string {
  return `UPDATE ${d.prefix}river_job AS job
  SET state = 'running', attempt = least(job.attempt + 1, 32767), attempted_at = ${timeNow("$4")},
    attempted_by = ${appendedClient("job", "$3")}
  WHERE job.id = ANY (ARRAY(
    SELECT due.id FROM ${d.prefix}river_job AS due
    WHERE ${isDue("$4", "$5")}${also}
    ORDER BY due.priority, due.scheduled_at, due.id${limited}
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING ${jobColumns(d)}`;
}

/** Claims from the front of the queue. */
export const CLAIM: SqlTemplate = (d) => claim(d, "", LIMITED);

/** Claims from behind a position. */
export const CLAIM_BEHIND: SqlTemplate = (d) => claim(d, BEHIND, LIMITED);

/** The two, leaving jobs out that were refused before. */
export const CLAIM_EXCEPT: SqlTemplate = (d) => claim(d, except("$6"), LIMITED);
export const CLAIM_BEHIND_EXCEPT: SqlTemplate = (d) => claim(d, BEHIND + except("$9"), LIMITED);

/** Claims jobs by ID as far as they are still due. Parameter 2 is the IDs. */
export const CLAIM_THESE: SqlTemplate = (d) => claim(d, "\n      AND due.id = ANY ($2::bigint[])", "");

/**
 * IDs of due jobs in the order of claims. Parameters: 1 queue, 2 limit, 3 now or null, 4 kinds or null, 5 IDs to leave
 * out. Locks: none.
 */
export const CLAIMABLE: SqlTemplate = (d) => `SELECT due.id::text AS id FROM ${d.prefix}river_job AS due
  WHERE ${isDue("$3", "$4")}${except("$5")}
  ORDER BY due.priority, due.scheduled_at, due.id${LIMITED}`;

/**
 * Claims due jobs of one queue.
 *
 * - Parameters: 1 now, 2 client ID, 3 queue, 4 limit; `CLAIM_KINDS` also 5 JSON array of kinds; `CLAIM_EXCEPT` 5 the same
 *   or null, and 6 JSON array of IDs to leave out; `CLAIM_THESE` 4 JSON array of IDs, 5 kinds or null.
 * - Result: `JOB_COLUMNS` of each claimed row, in no defined order.
 * - Locks: the write lock, for this one statement.
 * - Index: `river_job_prioritized_fetching_index` gives the order without a sort.
 * - Differs because there are no row locks to skip: one writer at a time.
 */
import { ATTEMPTED_BY_LIMIT } from "riverqueue/driver";
import { JOB_COLUMNS } from "./columns.ts";

// A full list loses its oldest entries; one that cannot be read starts again, so that the attempt has an owner.
const APPENDED_CLIENT = `CASE
    WHEN attempted_by IS NULL OR NOT json_valid(attempted_by, 10) OR json_type(attempted_by) <> 'array'
      THEN jsonb_array(?2)
    WHEN json_array_length(attempted_by) < ${ATTEMPTED_BY_LIMIT} THEN jsonb_insert(attempted_by, '$[#]', ?2)
    ELSE jsonb_insert((
      SELECT jsonb_group_array(value ORDER BY key) FROM (
        SELECT key, value FROM json_each(river_job.attempted_by) ORDER BY key DESC LIMIT ${ATTEMPTED_BY_LIMIT - 1}
      )
    ), '$[#]', ?2)
  END`;

const IN_KINDS = "AND kind IN (SELECT value FROM json_each(?5))";
const IN_KINDS_IF_ANY = "AND (?5 IS NULL OR kind IN (SELECT value FROM json_each(?5)))";
const LIMITED = "LIMIT ?4";

function due(also: string, limited: string): string {
  return `SELECT id FROM river_job
    WHERE state = 'available' AND queue = ?3 AND priority >= 0 AND scheduled_at <= ?1 ${also}
    ORDER BY priority, scheduled_at, id
    ${limited}`;
}

function claim(also: string, limited: string = LIMITED): string {
  return `UPDATE river_job
  SET state = 'running', attempt = attempt + 1, attempted_at = ?1, attempted_by = ${APPENDED_CLIENT}
  WHERE id IN (
    ${due(also, limited)}
  )
  RETURNING ${JOB_COLUMNS}`;
}

/** Claims jobs of any kind. */
export const CLAIM: string = claim("");

/** Claims jobs of the given kinds only. */
export const CLAIM_KINDS: string = claim(IN_KINDS);

const EXCEPT = `${IN_KINDS_IF_ANY} AND id NOT IN (SELECT value FROM json_each(?6))`;

/** Claims jobs but for those that were refused before. */
export const CLAIM_EXCEPT: string = claim(EXCEPT);

/** Claims jobs by ID as far as they are still due. */
export const CLAIM_THESE: string = claim(`${IN_KINDS_IF_ANY} AND id IN (SELECT value FROM json_each(?4))`, "");

/** IDs of due jobs in the order of claims. Parameters as for `CLAIM_EXCEPT`, of which 2 is not used. Locks: none. */
export const CLAIMABLE: string = due(EXCEPT, LIMITED);

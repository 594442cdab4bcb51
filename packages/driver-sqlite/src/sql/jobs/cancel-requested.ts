/**
 * Running attempts of one client that carry a cancel mark.
 *
 * - Parameters: 1 JSON array of IDs, 2 client ID.
 * - Result: ID, claim time, mark as text. Whether the mark is younger than the claim is for the caller to see: the
 *   mark may have any offset and precision. A mark that is no string comes without text.
 * - Locks: none. Index: the primary key.
 */
import { LAST_CLIENT } from "./columns.ts";

export const CANCEL_REQUESTED: string = `SELECT id, attempted_at,
    CASE WHEN json_valid(metadata, 10) AND json_type(metadata, '$.cancel_attempted_at') = 'text'
      THEN metadata ->> '$.cancel_attempted_at' END AS mark
  FROM river_job
  WHERE id IN (SELECT value FROM json_each(?1)) AND +state = 'running' AND ${LAST_CLIENT} = ?2 AND mark IS NOT NULL`;

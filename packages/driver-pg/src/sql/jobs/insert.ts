/**
 * Inserts jobs, with their notices in the same statement.
 *
 * - Parameters: 1 JSON array with one object a job (`kind`, `queue`, `state`, `priority`, `max_attempts`, `args`, and
 *   where they are not empty `metadata`, `tags`, `scheduled_at`, `unique_key` in hexadecimal, `unique_states`), 2 now or
 *   null, 3 JSON array of [topic, payload], 4 `off` to commit without waiting for the disk; `INSERT_UNIQUE` also 5 a
 *   nonce, where `xmax` does not tell.
 * - `INSERT`: one row with the new IDs, in the order of the request, separated by commas, and the time of insertion.
 * - `INSERT_UNIQUE`: `jobColumns` and whether the row was there before, in the order of the request. The key of a
 *   duplicate is held by that row until the commit; a concurrent insertion of the key is waited for.
 * - Locks: the rows that hold keys of the request. Index: `river_job_unique_idx` for keys.
 * - One JSON parameter for any number of rows is one plan, and costs less than an array a column. What is empty is left
 *   out, and tags are read as `text[]`: reading each row's list as `varchar(255)[]` cost as much as the rest of the row.
 */
import type { Dialect, SqlTemplate } from "../../connection/dialect.ts";
import { notify } from "../notices/send.ts";
import { holdsUniqueKey, jobColumns, timeNow } from "./columns.ts";

function insert(d: Dialect, metadata: string): string {
  return `INSERT INTO ${d.prefix}river_job AS job (
      kind, queue, state, priority, max_attempts, args, metadata, tags, created_at, scheduled_at, unique_key, unique_states
    )
    SELECT new.kind, new.queue, new.state, new.priority, new.max_attempts, new.args, ${metadata},
      CASE WHEN new.tags IS NULL THEN '{}' ELSE new.tags END,
      ${timeNow("$2")}, coalesce(new.scheduled_at, $2::timestamptz, now()),
      decode(new.unique_key, 'hex'), new.unique_states::bit(8)
    FROM json_to_recordset($1::json) AS new (
      kind text, queue text, state ${d.prefix}river_job_state, priority smallint, max_attempts smallint, args jsonb,
      metadata jsonb, tags text[], scheduled_at timestamptz, unique_key text, unique_states integer
    )`;
}

const METADATA = "coalesce(new.metadata, '{}')";

/** The setting holds until the end of the transaction, which is this statement unless one is open. */
const RELAXED = "SELECT set_config('synchronous_commit', $4::text, true) AS setting WHERE $4::text IS NOT NULL";

export const INSERT: SqlTemplate = (d) => `WITH inserted AS (
    ${insert(d, METADATA)}
    RETURNING job.id
  ), notified AS MATERIALIZED (${notify(d, "$3")}), relaxed AS MATERIALIZED (${RELAXED})
  SELECT (SELECT string_agg(id::text, ',') FROM inserted) AS ids, ${timeNow("$2")}::text AS inserted_at,
    (SELECT count(*) FROM notified)::text AS notified, (SELECT count(*) FROM relaxed)::text AS relaxed`;

const NONCE = "river:unique_nonce";

export const INSERT_UNIQUE: SqlTemplate = (d) => {
  const metadata = d.tellsByXmax ? METADATA : `${METADATA} || jsonb_build_object('${NONCE}', $5::text)`;
  const wasThere = d.tellsByXmax ? "job.xmax <> 0" : `job.metadata ->> '${NONCE}' IS DISTINCT FROM $5::text`;
  return `WITH notified AS MATERIALIZED (${notify(d, "$3")}), relaxed AS MATERIALIZED (${RELAXED}), inserted AS (
    ${insert(d, metadata)}
    ON CONFLICT (unique_key) WHERE ${holdsUniqueKey(d)}
      DO UPDATE SET kind = job.kind
    RETURNING ${jobColumns(d)}, (${wasThere})::text AS was_there
  )
  SELECT inserted.* FROM inserted, (SELECT count(*) FROM notified) AS n, (SELECT count(*) FROM relaxed) AS r`;
};

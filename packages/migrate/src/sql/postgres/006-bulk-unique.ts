import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";

/**
 * Unique jobs by key and by the states in which a job holds its key. On a large job table the column and its index may
 * be made beforehand, the index concurrently.
 */
export const bulkUnique: Migration = {
  version: 6,
  name: "bulk unique",
  upSql: `
create or replace function ${SCHEMA}river_job_state_in_bitmask(bitmask bit(8), state ${SCHEMA}river_job_state)
returns boolean language sql immutable as $in_bitmask$
  select case state
    when 'available' then get_bit(bitmask, 7)
    when 'cancelled' then get_bit(bitmask, 6)
    when 'completed' then get_bit(bitmask, 5)
    when 'discarded' then get_bit(bitmask, 4)
    when 'pending' then get_bit(bitmask, 3)
    when 'retryable' then get_bit(bitmask, 2)
    when 'running' then get_bit(bitmask, 1)
    when 'scheduled' then get_bit(bitmask, 0)
    else 0
  end = 1
$in_bitmask$;

alter table ${SCHEMA}river_job add column if not exists unique_states bit(8);

create unique index if not exists river_job_unique_idx on ${SCHEMA}river_job (unique_key)
where unique_key is not null
  and unique_states is not null
  and ${SCHEMA}river_job_state_in_bitmask(unique_states, state);

drop index ${SCHEMA}river_job_kind_unique_key_idx;
`.trim(),
  downSql: `
drop index ${SCHEMA}river_job_unique_idx;

alter table ${SCHEMA}river_job drop column unique_states;

create unique index if not exists river_job_kind_unique_key_idx on ${SCHEMA}river_job (kind, unique_key)
where unique_key is not null;

drop function ${SCHEMA}river_job_state_in_bitmask(bit, ${SCHEMA}river_job_state);
`.trim(),
};

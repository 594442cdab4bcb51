/** The trigger by which versions 2 and 3 announce new jobs; later on the inserting client does it. */
import { SCHEMA } from "../../schema-template.ts";

/** Statements that create the trigger and its function. */
export const createInsertTrigger: string = `
create or replace function ${SCHEMA}river_job_notify() returns trigger language plpgsql as $notify$
begin
  if new.state = 'available' then
    perform pg_notify('river_insert', json_build_object('queue', new.queue)::text);
  end if;
  return null;
end;
$notify$;

create trigger river_notify after insert on ${SCHEMA}river_job
for each row execute function ${SCHEMA}river_job_notify();
`.trim();

/** Statements that drop both. */
export const dropInsertTrigger: string = `
drop trigger river_notify on ${SCHEMA}river_job;
drop function ${SCHEMA}river_job_notify();
`.trim();

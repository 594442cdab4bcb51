import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";
import { createRiverClientTables, dropRiverClientTables } from "./river-client-tables.ts";

/** An outbox that Postgres itself does not need, two defaults, and without the two tables that nothing used. */
export const notificationOutbox: Migration = {
  version: 7,
  name: "notification outbox sqlite jsonb and sql cleanup",
  upSql: `
create table ${SCHEMA}river_notification (
  id bigserial primary key,
  created_at timestamptz not null default now(),
  payload text not null,
  topic text not null,
  constraint topic_length check (length(topic) > 0 and length(topic) < 128)
);

create index river_notification_created_at_idx on ${SCHEMA}river_notification (created_at);
create index river_notification_topic_id_idx on ${SCHEMA}river_notification (topic, id);

${dropRiverClientTables}

alter table ${SCHEMA}river_job alter column max_attempts set default 25;

alter table ${SCHEMA}river_queue alter column updated_at set default current_timestamp;
`.trim(),
  downSql: `
${createRiverClientTables}

alter table ${SCHEMA}river_job alter column max_attempts drop default;

alter table ${SCHEMA}river_queue alter column updated_at drop default;

drop table ${SCHEMA}river_notification;
`.trim(),
};

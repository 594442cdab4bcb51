import type { Migration } from "../../migration.ts";
import { createRiverClientTables, dropRiverClientTables } from "./river-client-tables.ts";
import { BINARY_JOBS, rebuildRiverJob, TEXT_JOBS } from "./river-job-table.ts";
import { rebuildRiverQueue } from "./river-queue-table.ts";

/**
 * The outbox of notices, JSON in SQLite's binary form, a default for `max_attempts`, and without the two tables that
 * nothing used. Clients that write JSON as text (River for Go before 0.40) must have been stopped.
 */
export const notificationOutbox: Migration = {
  version: 7,
  name: "notification outbox sqlite jsonb and sql cleanup",
  upSql: `
create table river_notification (
  id integer primary key autoincrement,
  created_at timestamp not null default (datetime('now', 'subsec')),
  payload text not null,
  topic text not null,
  constraint topic_length check (length(topic) > 0 and length(topic) < 128)
);

create index river_notification_created_at_idx on river_notification (created_at);
create index river_notification_topic_id_idx on river_notification (topic, id);

${rebuildRiverJob(BINARY_JOBS, "jsonb")}

${rebuildRiverQueue("jsonb")}

${dropRiverClientTables}
`.trim(),
  downSql: `
${createRiverClientTables}

${rebuildRiverJob(TEXT_JOBS, "json")}

${rebuildRiverQueue("json")}

drop table river_notification;
`.trim(),
};

/** The queue registry, with JSON kept as text (versions 4 to 6) or in SQLite's binary form (7 on). */

/** How JSON is kept. */
export type QueueJson = "json" | "jsonb";

/** Creates the registry under the given name. */
export function createRiverQueue(name: string, json: QueueJson): string {
  const updatedAt =
    json === "jsonb" ? "updated_at timestamp not null default current_timestamp" : "updated_at timestamp not null";
  return `
create table ${name} (
  name text primary key not null,
  created_at timestamp not null default current_timestamp,
  metadata blob not null default (${json}('{}')),
  paused_at timestamp,
  ${updatedAt}
);
`.trim();
}

/** Puts a new registry in the place of the present one, with every row and its metadata in the given form. */
export function rebuildRiverQueue(json: QueueJson): string {
  return `
${createRiverQueue("river_queue_rebuilt", json)}

insert into river_queue_rebuilt (name, created_at, metadata, paused_at, updated_at)
select name, created_at, ${json}(metadata), paused_at, updated_at
from river_queue;

drop table river_queue;
alter table river_queue_rebuilt rename to river_queue;
`.trim();
}

import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";
import { createRiverClientTables, dropRiverClientTables } from "./river-client-tables.ts";
import { migrationsByLine, migrationsByVersion, whereMigrationsAreRecorded } from "./river-migration-table.ts";

const recordLines = `
alter table ${SCHEMA}river_migration rename to river_migration_old;

${migrationsByLine}

insert into ${SCHEMA}river_migration (line, version, created_at)
select 'main', version, created_at
from ${SCHEMA}river_migration_old;

drop table ${SCHEMA}river_migration_old;
`.trim();

const recordVersions = `
if exists (select from ${SCHEMA}river_migration where line <> 'main') then
  raise exception 'other lines than main have migrations applied, and their records would be lost';
end if;

alter table ${SCHEMA}river_migration rename to river_migration_old;

${migrationsByVersion}

insert into ${SCHEMA}river_migration (created_at, version)
select created_at, version
from ${SCHEMA}river_migration_old
order by version;

drop table ${SCHEMA}river_migration_old;
`.trim();

/**
 * Lines beside the main one in the records of what has been applied, keys of unique jobs, and two tables that stay
 * empty. On a large job table the column and its index may be made beforehand, the index concurrently.
 */
export const migrationUniqueClient: Migration = {
  version: 5,
  name: "migration unique client",
  upSql: `
${whereMigrationsAreRecorded(recordLines)}

alter table ${SCHEMA}river_job add column if not exists unique_key bytea;

create unique index if not exists river_job_kind_unique_key_idx on ${SCHEMA}river_job (kind, unique_key)
where unique_key is not null;

${createRiverClientTables}
`.trim(),
  downSql: `
${whereMigrationsAreRecorded(recordVersions)}

alter table ${SCHEMA}river_job drop column unique_key;

${dropRiverClientTables}
`.trim(),
};

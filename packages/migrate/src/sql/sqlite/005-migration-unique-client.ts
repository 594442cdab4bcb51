import type { Migration } from "../../migration.ts";
import { createRiverClientTables, dropRiverClientTables } from "./river-client-tables.ts";
import { migrationsByLine, migrationsByVersion } from "./river-migration-table.ts";

/** Lines beside the main one in the records of what has been applied, and two tables that stay empty. */
export const migrationUniqueClient: Migration = {
  version: 5,
  name: "migration unique client",
  upSql: `
${migrationsByLine}

insert into river_migration_rebuilt (line, version, created_at)
select 'main', version, created_at
from river_migration;

drop table river_migration;
alter table river_migration_rebuilt rename to river_migration;

${createRiverClientTables}
`.trim(),
  downSql: `
alter table river_migration rename to river_migration_by_line;

${migrationsByVersion}

insert into river_migration (created_at, version)
select created_at, version
from river_migration_by_line
where line = 'main'
order by version;

drop table river_migration_by_line;

${dropRiverClientTables}
`.trim(),
};

import type { Migration } from "../../migration.ts";
import { migrationsByVersion } from "./river-migration-table.ts";

/** Records of what has been applied, by version alone. */
export const createRiverMigration: Migration = {
  version: 1,
  name: "create river migration",
  upSql: migrationsByVersion,
  downSql: "drop table river_migration;",
};

import type { Migration } from "../../migration.ts";
import { SCHEMA } from "../../schema-template.ts";

/** Tags are never null. */
export const riverJobTagsNonNull: Migration = {
  version: 3,
  name: "river job tags non null",
  upSql: `
alter table ${SCHEMA}river_job alter column tags set default '{}';
update ${SCHEMA}river_job set tags = '{}' where tags is null;
alter table ${SCHEMA}river_job alter column tags set not null;
`.trim(),
  downSql: `
alter table ${SCHEMA}river_job
  alter column tags drop not null,
  alter column tags drop default;
`.trim(),
};

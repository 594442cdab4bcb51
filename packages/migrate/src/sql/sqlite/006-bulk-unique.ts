import type { Migration } from "../../migration.ts";
import { createRiverJob, createRiverJobIndexes, TEXT_JOBS } from "./river-job-table.ts";

/** The job table in place of the placeholder of version 2. Going down drops every job. */
export const bulkUnique: Migration = {
  version: 6,
  name: "bulk unique",
  upSql: `
drop table river_job;

${createRiverJob("river_job", TEXT_JOBS)}

${createRiverJobIndexes}
`.trim(),
  downSql: `
drop table river_job;

create table river_job (
  id integer primary key
);
`.trim(),
};

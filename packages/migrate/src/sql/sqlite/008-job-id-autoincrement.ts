import type { Migration } from "../../migration.ts";
import { BINARY_JOBS_AGAIN, NUMBERED_JOBS, rebuildRiverJob } from "./river-job-table.ts";

/**
 * Fails where River Pro has added to the job table, because what it added would be lost with the old table. The name
 * of the constraint is what the database reports.
 */
const refuseRiverPro = `
create temp table river_rebuild_guard (
  pro_objects integer not null,
  constraint river_pro_is_not_installed check (pro_objects = 0)
);

insert into river_rebuild_guard (pro_objects)
select count(*)
from sqlite_master
where name in ('river_job_sequence', 'river_job_workflow_scheduling', 'river_workflow');

drop table river_rebuild_guard;
`.trim();

/** IDs that are never given out twice: the ID of a deleted newest job stays unused. */
export const jobIdAutoincrement: Migration = {
  version: 8,
  name: "job id autoincrement",
  upSql: `
${refuseRiverPro}

${rebuildRiverJob(NUMBERED_JOBS, null)}
`.trim(),
  downSql: `
${refuseRiverPro}

${rebuildRiverJob(BINARY_JOBS_AGAIN, null)}
`.trim(),
};

import type { Migration } from "../../migration.ts";
import { createRiverLeader } from "./river-leader-table.ts";

/** The leader's lease, and a placeholder: the job table has its real form from version 6 on. */
export const initialSchema: Migration = {
  version: 2,
  name: "initial schema",
  upSql: `
create table river_job (
  id integer primary key
);

${createRiverLeader("any name")}
`.trim(),
  downSql: `
drop table river_job;
drop table river_leader;
`.trim(),
};

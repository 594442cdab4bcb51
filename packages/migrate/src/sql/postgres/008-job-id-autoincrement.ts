import type { Migration } from "../../migration.ts";

/** A version that keeps the numbers of both databases in step; sequences never give an ID out twice anyway. */
export const jobIdAutoincrement: Migration = {
  version: 8,
  name: "job id autoincrement",
  upSql: "select 1;",
  downSql: "select 1;",
};

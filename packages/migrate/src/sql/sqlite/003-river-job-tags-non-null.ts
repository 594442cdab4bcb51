import type { Migration } from "../../migration.ts";

/** A version that keeps the numbers of both databases in step; the job table of version 6 has this change already. */
export const riverJobTagsNonNull: Migration = {
  version: 3,
  name: "river job tags non null",
  upSql: "select 1;",
  downSql: "select 1;",
};

import type { Migration } from "../../migration.ts";
import { createRiverLeader } from "./river-leader-table.ts";
import { createRiverQueue } from "./river-queue-table.ts";

/** The queue registry, and one possible name for a lease. A lease lasts seconds, so none is carried over. */
export const pendingAndMore: Migration = {
  version: 4,
  name: "pending and more",
  upSql: `
${createRiverQueue("river_queue", "json")}

drop table river_leader;

${createRiverLeader("default only")}
`.trim(),
  downSql: `
drop table river_queue;

drop table river_leader;

${createRiverLeader("any name")}
`.trim(),
};

import type { Migration } from "../../migration.ts";
import { createRiverMigration } from "./001-create-river-migration.ts";
import { initialSchema } from "./002-initial-schema.ts";
import { riverJobTagsNonNull } from "./003-river-job-tags-non-null.ts";
import { pendingAndMore } from "./004-pending-and-more.ts";
import { migrationUniqueClient } from "./005-migration-unique-client.ts";
import { bulkUnique } from "./006-bulk-unique.ts";
import { notificationOutbox } from "./007-notification-outbox-sqlite-jsonb-and-sql-cleanup.ts";
import { jobIdAutoincrement } from "./008-job-id-autoincrement.ts";

/** The main line, ascending. */
export function sqliteMainLine(): Migration[] {
  return [
    createRiverMigration,
    initialSchema,
    riverJobTagsNonNull,
    pendingAndMore,
    migrationUniqueClient,
    bulkUnique,
    notificationOutbox,
    jobIdAutoincrement,
  ];
}

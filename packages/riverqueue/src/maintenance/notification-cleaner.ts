/** Deletes notices that are stored as rows, once every reader has had the time to see them. */
import { Cleaner } from "./cleaner.ts";
import { before, type MaintenanceService, type ServiceContext, STATEMENT_LIMIT_MS } from "./maintenance-service.ts";

/** See the file header. */
export function notificationCleaner<Tx>({ facets, environment, settings }: ServiceContext<Tx>): MaintenanceService {
  return new Cleaner<Tx>(environment, {
    name: "notification_cleaner",
    intervalMs: settings.notificationCleanerIntervalMs,
    timeoutMs: STATEMENT_LIMIT_MS,
    deleteBatch: (term, now, limit, call) =>
      facets.notices.deleteExpired({ term, before: before(now, settings.notificationRetentionMs), limit }, call),
  });
}

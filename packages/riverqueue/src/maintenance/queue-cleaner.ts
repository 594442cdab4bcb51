/** Deletes queues that no client has worked for a while. The heartbeat of working clients protects theirs, paused or not. */
import { Cleaner } from "./cleaner.ts";
import { before, type MaintenanceService, type ServiceContext, STATEMENT_LIMIT_MS } from "./maintenance-service.ts";

/** See the file header. */
export function queueCleaner<Tx>({ facets, environment, settings }: ServiceContext<Tx>): MaintenanceService {
  return new Cleaner<Tx>(environment, {
    name: "queue_cleaner",
    intervalMs: settings.queueCleanerIntervalMs,
    timeoutMs: STATEMENT_LIMIT_MS,
    deleteBatch: (term, now, limit, call) =>
      facets.queues.deleteExpired({ term, before: before(now, settings.queueRetentionMs), limit }, call),
  });
}

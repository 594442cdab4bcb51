/** Deletes queues that no client has worked for a while. The heartbeat of working clients protects theirs, paused or not. */
import { RefusedRows } from "../kit/refused-rows.ts";
import { Cleaner } from "./cleaner.ts";
import { before, type MaintenanceService, type ServiceContext, STATEMENT_LIMIT_MS } from "./maintenance-service.ts";

/** How long a queue that could not be deleted is left alone, in milliseconds, and how many such queues are remembered. */
const [REFUSED_MS, REFUSED_QUEUES] = [24 * 3_600_000, 10_000];

/** See the file header. */
export function queueCleaner<Tx>({ facets, environment, settings, logger }: ServiceContext<Tx>): MaintenanceService {
  const refusals = new RefusedRows<string>({
    clock: environment.clock,
    logger,
    keepMs: REFUSED_MS,
    capacity: REFUSED_QUEUES,
    attribute: "queue",
    message: "the row of an unused queue cannot be deleted: the database refuses it",
  });
  return new Cleaner<Tx>(environment, {
    name: "queue_cleaner",
    intervalMs: settings.queueCleanerIntervalMs,
    timeoutMs: STATEMENT_LIMIT_MS,
    deleteBatch: (term, now, limit, call) =>
      facets.queues.deleteExpired({ term, before: before(now, settings.queueRetentionMs), limit, refusals }, call),
  });
}

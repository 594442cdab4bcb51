/** Deletes finalized jobs that have been kept long enough, lowest IDs first. States kept for ever are never looked at. */
import { Cleaner } from "./cleaner.ts";
import { before, type MaintenanceService, type ServiceContext } from "./maintenance-service.ts";

/** See the file header. With every state kept for ever it makes no statement. */
export function jobCleaner<Tx>({ facets, environment, settings }: ServiceContext<Tx>): MaintenanceService {
  const { cancelledJobRetentionMs, completedJobRetentionMs, discardedJobRetentionMs } = settings;
  const keepsAll = [cancelledJobRetentionMs, completedJobRetentionMs, discardedJobRetentionMs].every(
    (retentionMs) => retentionMs === null,
  );
  return new Cleaner<Tx>(environment, {
    name: "job_cleaner",
    intervalMs: settings.jobCleanerIntervalMs,
    timeoutMs: settings.jobCleanerTimeoutMs,
    deleteBatch: async (term, now, limit, call) => {
      if (keepsAll) return 0;
      const horizon = (retentionMs: number | null): Temporal.Instant | null =>
        retentionMs === null ? null : before(now, retentionMs);
      const cancelledBefore = horizon(cancelledJobRetentionMs);
      const completedBefore = horizon(completedJobRetentionMs);
      const discardedBefore = horizon(discardedJobRetentionMs);
      return facets.jobs.deleteFinalized({ term, cancelledBefore, completedBefore, discardedBefore, limit }, call);
    },
  });
}

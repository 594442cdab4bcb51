/** Deletes finalized jobs that have been kept long enough, lowest IDs first. States kept for ever are never looked at. */
import { RefusedRows } from "../kit/refused-rows.ts";
import { Cleaner } from "./cleaner.ts";
import { before, type MaintenanceService, type ServiceContext } from "./maintenance-service.ts";

/** How long a job that could not be deleted is left alone, in milliseconds, and how many such jobs are remembered. */
const [REFUSED_MS, REFUSED_JOBS] = [600_000, 10_000];

/** See the file header. With every state kept for ever it makes no statement. */
export function jobCleaner<Tx>({ facets, environment, settings, logger }: ServiceContext<Tx>): MaintenanceService {
  const { cancelledJobRetentionMs, completedJobRetentionMs, discardedJobRetentionMs } = settings;
  const keepsAll = [cancelledJobRetentionMs, completedJobRetentionMs, discardedJobRetentionMs].every(
    (retentionMs) => retentionMs === null,
  );
  const refusals = new RefusedRows<bigint>({
    clock: environment.clock,
    logger,
    keepMs: REFUSED_MS,
    capacity: REFUSED_JOBS,
    attribute: "jobId",
    message: "an old job cannot be deleted: the database refuses it",
  });
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
      const times = { cancelledBefore, completedBefore, discardedBefore };
      return facets.jobs.deleteFinalized({ term, ...times, limit, refusals }, call);
    },
  });
}

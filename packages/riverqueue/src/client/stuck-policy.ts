/** Answers what the rescuer asks about kinds and retry times, from the client's workers and policies. */
import { decodeArgs } from "../definition/decode-args.ts";
import type { Environment } from "../kit/environment.ts";
import type { StuckJobPolicy } from "../maintenance/stuck-job-policy.ts";
import { type DecodedJobRow, withDecodedArgs } from "../model/job-row-view.ts";
import type { JobRow } from "../model/job-row.ts";
import { durationToMs } from "../options/duration-input.ts";
import { chooseRetryTime } from "../runtime/attempt-failure.ts";
import { workLogger } from "../work/work-logger.ts";
import type { WorkerRegistration } from "../work/worker-registration.ts";
import type { ClientSettings } from "./resolve-client-options.ts";

/** The policy of one client. */
export function stuckPolicyOf<Tx>(settings: ClientSettings<Tx>, environment: Environment): StuckJobPolicy {
  const retryTime = (
    row: JobRow,
    job: DecodedJobRow<unknown> | null,
    registration: WorkerRegistration<Tx> | null,
    now: Temporal.Instant,
  ): Temporal.Instant =>
    chooseRetryTime({
      row,
      job,
      workerPolicy: registration?.options.retryPolicy,
      clientPolicy: settings.retryPolicy ?? undefined,
      now,
      random: environment.random,
      logger: workLogger(settings.logger, row),
    });
  return {
    workerOf(kind) {
      const registration = settings.workers.get(kind);
      if (!registration) return null;
      const { timeout } = registration.options;
      // The worker's policy sees decoded arguments, the client's the persisted ones, as for every other failed job.
      const rows = new WeakMap<DecodedJobRow<unknown>, JobRow>();
      const decoded = (row: JobRow, args: unknown): DecodedJobRow<unknown> => {
        const job = withDecodedArgs(row, args);
        rows.set(job, row);
        return job;
      };
      return {
        timeoutMs: timeout === undefined ? settings.jobTimeoutMs : durationToMs(timeout),
        decode: (row) => {
          const args: unknown = decodeArgs(registration.definition, row.args, "work");
          return args instanceof Promise ? args.then((value: unknown) => decoded(row, value)) : decoded(row, args);
        },
        retryTime: (job, now) => retryTime(rows.get(job) ?? (job as JobRow), job, registration, now),
      };
    },
    retryTime: (row, now) => retryTime(row, null, null, now),
  };
}

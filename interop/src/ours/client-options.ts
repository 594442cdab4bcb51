/** What a test says over the protocol, as options of our client. */
import {
  type ClientOptions,
  cron,
  type DurationInput,
  type InsertOptions,
  type JobListOptions,
  type JsonObject,
  type PeriodicJob,
  periodicJob,
} from "riverqueue";
import type { ListSpec, OpenSpec, PeerJobSpec, PeriodicSpec } from "../peer-values.ts";
import type { PeerDatabase } from "./database.ts";
import { planned, planWorkers } from "./plan-worker.ts";

/** The options among the members of a job's description. */
export function insertOptions(spec: PeerJobSpec): InsertOptions {
  const { maxAttempts, metadata, pending, priority, queue, scheduledAt, tags, unique } = spec;
  const { byPeriodMs, ...compared } = unique ?? {};
  return {
    maxAttempts,
    metadata,
    pending,
    priority,
    queue,
    tags,
    ...(scheduledAt !== undefined && { scheduledAt: Temporal.Instant.from(scheduledAt) }),
    ...(unique && {
      unique: { ...compared, ...(byPeriodMs !== undefined && { byPeriod: { milliseconds: byPeriodMs } }) },
    }),
  };
}

const ORDERS = { id: "id", time: "time", scheduled_at: "scheduledAt", finalized_at: "finalizedAt" } as const;

/** Filters and order of a list, or of a deletion. */
export function listOptions({ ids, metadata, orderBy, descending, states, ...same }: ListSpec): JobListOptions {
  return {
    ...same,
    ...(ids && { ids: ids.map(BigInt) }),
    ...(states && { states }),
    ...(metadata !== undefined && { metadata: JSON.parse(metadata) as JsonObject }),
    ...(orderBy && { orderBy: ORDERS[orderBy] }),
    ...(descending === true && { sortDirection: "desc" }),
  };
}

/** Settings of a client, and its workers. */
export function clientOptions(spec: OpenSpec, database: PeerDatabase): ClientOptions {
  const working = spec.queues !== undefined;
  const pace = { fetchCooldown: ms(spec.fetchCooldownMs), pollInterval: ms(spec.pollIntervalMs) };
  return {
    clientId: spec.clientId,
    fetchCooldown: ms(spec.fetchCooldownMs),
    fetchOnlyKnownKinds: spec.fetchOnlyKnownKinds,
    jobTimeout: ms(spec.jobTimeoutMs),
    leaderElectionDisabled: spec.leaderElectionDisabled,
    pollOnly: spec.pollOnly,
    queueControlPollInterval: ms(spec.controlPollMs),
    maintenance: {
      rescueAfter: ms(spec.rescueAfterMs),
      rescuerInterval: ms(spec.rescuerIntervalMs),
      completedJobRetention: ms(spec.completedRetentionMs),
    },
    logger: { debug() {}, info() {}, warn: log, error: log },
    ...(working && {
      queues: Object.fromEntries(
        Object.entries(spec.queues ?? {}).map(([name, maxWorkers]) => [name, { maxWorkers, ...pace }]),
      ),
      workers: planWorkers(spec.kinds ?? [], database),
    }),
    ...(spec.periodic && { periodicJobs: spec.periodic.map(periodicOf) }),
  };
}

function ms(milliseconds: number | undefined): DurationInput | undefined {
  return milliseconds === undefined ? undefined : { milliseconds };
}

function log(attributes: object, message: string): void {
  console.error(message, attributes);
}

function periodicOf({ id, everyMs, cron: expression, zone, runOnStart, job }: PeriodicSpec): PeriodicJob {
  const shared = {
    job: planned(job.kind),
    args: job.args ?? {},
    options: insertOptions(job),
    id,
    runOnStart: runOnStart ?? false,
  };
  return expression === undefined
    ? periodicJob({ ...shared, every: { milliseconds: everyMs ?? 0 } })
    : periodicJob({ ...shared, schedule: cron(expression, { timeZone: zone ?? "UTC" }) });
}

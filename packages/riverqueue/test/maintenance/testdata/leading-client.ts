/** A client that takes part in elections and maintenance and does nothing else, on a real database. */
import type { TestContext } from "node:test";
import type { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { type LeasedSqliteDatabase, type ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import type { PeriodicJob, PeriodicJobsStartParams } from "../../../src/api/periodic-jobs.ts";
import type { NoticeStream } from "../../../src/driver/notices-facet.ts";
import type { InsertHooks } from "../../../src/insert/insert-context.ts";
import { JobInserter } from "../../../src/insert/job-inserter.ts";
import { NoticeLimiter } from "../../../src/insert/notice-limiter.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import type { LogAttributes, Logger } from "../../../src/kit/logger.ts";
import { Leadership } from "../../../src/maintenance/leadership.ts";
import type { MaintenanceOptions } from "../../../src/maintenance/maintenance-options.ts";
import { resolveMaintenance } from "../../../src/maintenance/maintenance-settings.ts";
import type { StuckJobPolicy } from "../../../src/maintenance/stuck-job-policy.ts";
import type { RiverEvent, RiverEventKind } from "../../../src/model/river-event.ts";
import { withDecodedArgs } from "../../../src/model/job-row-view.ts";
import { OptionProblems } from "../../../src/options/option-problems.ts";
import { PeriodicJobRegistry } from "../../../src/periodic/periodic-job-registry.ts";

/** How a test wants its client. */
export interface LeadingClientOptions {
  readonly clientId: string;
  /** The system's clock unless given. */
  readonly clock?: Clock;
  /** The database's own clock unless given. */
  readonly databaseClock?: Clock;
  readonly maintenance?: MaintenanceOptions;
  readonly periodicJobs?: readonly PeriodicJob[];
  readonly onPeriodicJobsStart?: (params: PeriodicJobsStartParams) => PromiseLike<void> | void;
  readonly insertHooks?: readonly InsertHooks[];
  readonly stuckPolicy?: StuckJobPolicy;
  /** Chance, 0 unless given. */
  readonly random?: () => number;
  /** How long a statement waits for a lock in real time, default 5 s. */
  readonly busyTimeoutMs?: number;
}

/** See the file header. */
export interface LeadingClient {
  readonly leadership: Leadership<DatabaseSync>;
  readonly driver: SqliteDriver;
  readonly registry: PeriodicJobRegistry;
  readonly events: readonly RiverEvent[];
  readonly logs: readonly { readonly level: keyof Logger; readonly attributes: LogAttributes; readonly message: string }[];
  readonly failures: readonly unknown[];
  /** The events of one kind so far. */
  readonly eventsOf: <Kind extends RiverEventKind>(kind: Kind) => (RiverEvent & { readonly kind: Kind })[];
  /** Delivers notices of the leadership topic from now on. */
  readonly listen: () => Promise<void>;
}

/** Knows the kind `known`, with a timeout of a minute; retries after ten minutes. */
export const KNOWN_KIND: StuckJobPolicy = {
  workerOf: (kind) =>
    kind !== "known"
      ? null
      : {
          timeoutMs: 60_000,
          decode: (job) => withDecodedArgs(job, job.args),
          retryTime: (_, now) => now.add({ minutes: 10 }),
        },
  retryTime: (_, now) => now.add({ minutes: 20 }),
};

/** Makes a client, which is stopped and closed after the test. It bids once it is started. */
export function makeLeadingClient(
  t: TestContext,
  database: LeasedSqliteDatabase,
  options: LeadingClientOptions,
): LeadingClient {
  const { clock = systemClock, databaseClock } = options;
  const driver = new SqliteDriver(database.open(), { busyTimeout: { milliseconds: options.busyTimeoutMs ?? 5000 } });
  const events: RiverEvent[] = [];
  const logs: { level: keyof Logger; attributes: LogAttributes; message: string }[] = [];
  const failures: unknown[] = [];
  const log =
    (level: keyof Logger) =>
    (attributes: LogAttributes, message: string): void =>
      void logs.push({ level, attributes, message });
  const logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  const environment = {
    clock,
    random: options.random ?? (() => 0),
    databaseNow: databaseClock ? () => databaseClock.now() : null,
    probe: () => {},
  };
  const limiter = new NoticeLimiter(clock, 100);
  const registry = new PeriodicJobRegistry(options.periodicJobs ?? [], {
    leaderElectionDisabled: false,
    logger,
    now: () => clock.now(),
  });
  const inserter = new JobInserter<DatabaseSync>({
    driver,
    defaults: {},
    middleware: [],
    hooks: options.insertHooks ?? [],
    environment,
    noticeLimiter: limiter,
    onInserted: () => {},
  });
  const leadership = new Leadership<DatabaseSync>({
    facets: driver,
    traits: driver.traits,
    clientId: options.clientId,
    settings: settingsOf(options.maintenance),
    environment,
    logger,
    emit: (event) => void events.push(event),
    limiter,
    stuckPolicy: options.stuckPolicy ?? KNOWN_KIND,
    periodicJobs: registry,
    inserter,
    extensions: { onPeriodicJobsStart: options.onPeriodicJobsStart ? [options.onPeriodicJobsStart] : [] },
    onFailure: (error) => void failures.push(error),
  });
  let stream: NoticeStream | null = null;
  t.after(async () => {
    await stream?.close();
    await leadership.stop();
    driver.close();
  });
  return {
    leadership,
    driver,
    registry,
    events,
    logs,
    failures,
    eventsOf: <Kind extends RiverEventKind>(kind: Kind) =>
      events.filter((event): event is RiverEvent & { readonly kind: Kind } => event.kind === kind),
    async listen() {
      stream = await driver.notices.listen({
        topics: ["river_leadership"],
        onNotice: (notice) => leadership.onNotice(notice),
        onLost: () => {},
      });
    },
  };
}

function settingsOf(options: MaintenanceOptions | undefined) {
  const problems = new OptionProblems();
  const settings = resolveMaintenance(options, problems, { jobTimeoutMs: 60_000, jobTimeoutGiven: false });
  problems.throwConfiguration();
  return settings;
}

/**
 * Moves a manual clock on in small steps, with time for the databases of `clients` to answer in between, until `check`
 * gives something. Fails after `limitMs` of the clock's time.
 */
export async function advanceUntil<T>(
  clock: ManualClock,
  clients: readonly LeadingClient[],
  check: () => T | false | null | undefined,
  { stepMs = 100, limitMs = 120_000 }: { readonly stepMs?: number; readonly limitMs?: number } = {},
): Promise<T> {
  for (const end = clock.monotonic() + limitMs; ; ) {
    // Runs what is due right now.
    await clock.advance(0);
    await settle(clients);
    const found = check();
    if (found !== false && found !== null && found !== undefined) return found;
    if (clock.monotonic() >= end) throw new Error(`nothing happened within ${limitMs} ms of the manual clock`);
    await clock.advance(stepMs);
  }
}

/** Moves a manual clock on by `ms`, in small steps with time for the databases to answer. */
export async function advanceBy(clock: ManualClock, clients: readonly LeadingClient[], ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  await advanceUntil(clock, clients, () => clock.monotonic() >= end, { limitMs: ms });
}

/** Waits until every statement sent so far has been answered. */
export async function settle(clients: readonly LeadingClient[]): Promise<void> {
  for (let round = 0; round < 2; round++) {
    // Fails while a test holds a lock; its turn has come all the same.
    for (const { driver } of clients) await driver.leader.current().catch(() => null);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits for an event in real time. */
export function waitForKind(client: LeadingClient, kind: RiverEventKind, count = 1): Promise<boolean> {
  return pollUntil(() => client.events.filter((event) => event.kind === kind).length >= count);
}

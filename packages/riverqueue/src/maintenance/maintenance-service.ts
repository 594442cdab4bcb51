/** What the services of a leader have in common. */
import type { DriverCall } from "../driver/call.ts";
import type { DriverFacets } from "../driver/driver.ts";
import type { Clock } from "../kit/clock.ts";
import { pause } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import type { MaintenanceServiceName } from "../model/river-event.ts";
import type { MaintenanceSettings } from "./maintenance-settings.ts";
import type { Tenure } from "./tenure.ts";

/** Limit of one maintenance statement unless configured, in milliseconds. */
export const STATEMENT_LIMIT_MS = 30_000;

/** What every service works with. */
export interface ServiceContext<Tx> {
  readonly facets: DriverFacets<Tx>;
  readonly settings: MaintenanceSettings;
  readonly environment: Environment;
  readonly logger: Logger;
}

/** One unit of work: the rows acted on, or null when the database says that the term is over. */
export type Pass = () => Promise<number | null>;

/** Runs one pass and reports how it went; never rejects. Does nothing when the term is over. */
export type PassRunner = (pass: Pass) => Promise<void>;

/** A service that the leader runs. One object serves every term of its client, and never two at once for long. */
export interface MaintenanceService {
  readonly name: MaintenanceServiceName;
  /** Gets ready for a term. What it throws counts as a failure to start. */
  prepare?(tenure: Tenure): void;
  /** Serves the term until its signal aborts. Whatever may fail runs in a pass. */
  serve(tenure: Tenure, run: PassRunner): Promise<void>;
}

/** Options of a driver verb; a test's clock takes the place of the database's where one is attached. */
export function driverCall<Tx>(environment: Environment, timeoutMs: number | null): DriverCall<Tx> {
  return { now: environment.databaseNow?.(), timeoutMs: timeoutMs ?? undefined };
}

/** `ms` milliseconds before `instant`. */
export function before(instant: Temporal.Instant, ms: number): Temporal.Instant {
  return after(instant, -ms);
}

/** `ms` milliseconds, fractions kept, after `instant`. */
export function after(instant: Temporal.Instant, ms: number): Temporal.Instant {
  return instant.add({ microseconds: Math.round(ms * 1000) });
}

/**
 * Runs one pass at once and then one per interval until the term is over. Of the passes that fall due during a slow one,
 * one is made up for at once and the others are left out.
 */
export async function serveOnInterval(
  clock: Clock,
  intervalMs: number,
  tenure: Tenure,
  pass: () => Promise<void>,
): Promise<void> {
  let due = clock.monotonic();
  while (tenure.holds()) {
    await pass();
    due += intervalMs;
    const late = clock.monotonic() - due;
    if (late > 0) due += Math.floor(late / intervalMs) * intervalMs;
    else await pause(clock, -late, tenure.signal);
  }
}

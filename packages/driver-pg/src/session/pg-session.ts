/** The connections of one runtime, kept from start to stop, and the facets that work on them. */
import {
  ConfigurationError,
  type DriverCall,
  type DriverFacets,
  type DriverSession,
  type SessionNeeds,
} from "riverqueue/driver";
import { LaneGroup, OneAtATime, WithReserve } from "../connection/lane-lender.ts";
import { Lane } from "../connection/lane.ts";
import type { PgPool, PgTransaction } from "../connection/pg-shapes.ts";
import { PoolLender } from "../connection/pool-lender.ts";
import { placeIn } from "../connection/pool-place.ts";
import { formatArray } from "../record/pg-array.ts";
import { PgRunner, type RunnerContext } from "../scope/pg-runner.ts";
import type { Runners } from "../scope/runners.ts";
import { BACKEND_PID } from "../sql/schema/backend-pid.ts";
import { MISSING_TABLES } from "../sql/schema/missing-tables.ts";
import { keepConnections, WORK_LANES } from "./connection-needs.ts";
import { Listener } from "./listener.ts";

const OPERATION = "openSession";
const TABLES = ["river_job", "river_leader", "river_queue"];

/** Makes the facets that work through `runners`. */
export type MakeFacets = (runners: Runners, listener: Listener) => DriverFacets<PgTransaction>;

/**
 * Takes the connections and checks that they lead to River's tables.
 *
 * @throws ConfigurationError when the pool is too small or tables are missing.
 */
export async function openPgSession(
  pool: PgPool,
  context: RunnerContext,
  needs: SessionNeeds,
  makeFacets: MakeFacets,
): Promise<DriverSession<PgTransaction>> {
  const { connections, keepNoMore } = keepConnections(pool, needs);
  // A cancellation comes from the other group, which does not wait for the connection that is stuck.
  const control: LaneGroup = new LaneGroup([new Lane(pool, context, () => work)]);
  const work: LaneGroup = new LaneGroup(
    Array.from({ length: WORK_LANES }, () => new Lane(pool, context, () => control)),
  );
  const listening = placeIn(pool, context.readyMs);
  const listener = new Listener(listening, context);
  const close = (): Promise<void> => {
    for (const part of [listening, listener, work, control]) part.close();
    keepNoMore();
    return Promise.resolve();
  };
  // Whatever may take long shares one of the two, so that claims and completions always have the other. An index that
  // waits for its lock, or a hook that takes its time, must not hold up the leader's other services: they borrow.
  const long = new WithReserve(new OneAtATime(work), new PoolLender(pool, context));
  const runners: Runners = {
    control: new PgRunner(control, context),
    work: new PgRunner(work, context),
    maintenance: new PgRunner(long, context),
  };
  const within: DriverCall<never> = { timeoutMs: context.readyMs };
  try {
    await control.open(OPERATION);
    await requireTables(runners.control, within);
    await work.open(OPERATION);
    if (needs.listens && context.prepare.pooled && (await sharesSessions(runners, within)))
      context.prepare.noteSharing();
    // Whether the server can notify at all is known only since the first of the connections above.
    if (needs.listens && context.dialect().notifies && !context.prepare.shares) await listener.reserve();
  } catch (error) {
    await close();
    throw error;
  }
  return { ...makeFacets(runners, listener), connections, close };
}

/** How often each of two connections is asked. A pooler that is busy, or takes turns, shows itself by the second time. */
const LOOKS = 3;

/**
 * Whether one process has been seen from two connections, or two from one. Sessions of their own never show that, so
 * a pooler in session mode, behind which one can listen, is not taken for one in transaction mode.
 */
async function sharesSessions({ control, work }: Runners, within: DriverCall<never>): Promise<boolean> {
  const seen = new Set<unknown>();
  const elsewhere = new Set<unknown>();
  for (let look = 0; look < LOOKS; look++) {
    seen.add(await processOf(control, within));
    elsewhere.add(await processOf(work, within));
  }
  return seen.size > 1 || !seen.isDisjointFrom(elsewhere);
}

async function processOf(runner: PgRunner, within: DriverCall<never>): Promise<unknown> {
  return (await runner.use(OPERATION, within, (unit) => unit.row(BACKEND_PID)))?.[0];
}

async function requireTables(runner: PgRunner, within: DriverCall<never>): Promise<void> {
  const missing = await runner.use(OPERATION, within, (unit) => unit.rows(MISSING_TABLES, formatArray(TABLES)));
  if (missing.length === 0) return;
  throw new ConfigurationError(
    `the database lacks ${missing.map(([name]) => name).join(", ")}: run riverqueue migrate-up, or ` +
      "createMigrator(…).migrateUp(), and see that the driver option schema names where the tables are",
  );
}

/** `client.inspect`: checks bounds, calls the driver, puts its figures in order. */
import type { FleetAuditEntry, FleetClient, FleetMinute, FleetQueueLatency } from "../api/fleet-figures.ts";
import type { InspectOperations, InspectOptions } from "../api/inspect-operations.ts";
import type { ClientLoad, InspectBounds, MinuteThroughput, QueueDepth, StateCount } from "../driver/inspect-facet.ts";
import { type FleetRow, FleetStore } from "../fleet/fleet-store.ts";
import { readAuditEntry, readFleetClient, readFleetMinute, readQueueLatency } from "../fleet/read-fleet-rows.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import { readDuration } from "../options/duration-input.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { type OperationsContext, runtimeDriverOf } from "./operations-context.ts";
import { integerFrom, LIMIT_DEFAULT, readLimit, readOptional } from "./read-argument.ts";

const INSPECT_KEYS: readonly (keyof InspectOptions)[] = Object.freeze(["cap", "timeout", "limit"]);
const CAP_MAX = 1_000_000;
const CAP_DEFAULT = 10_000;
const TIMEOUT_DEFAULT_MS = 2_000;
/** Node's longest timer. */
const TIMEOUT_MAX_MS = 2_147_483_647;
const MINUTES_DEFAULT = 60;
const CAPABILITY = "inspection";
/** Silence after which a client does not count as live: three heartbeats. */
const LIVE_MS = 30_000;

/** See the file header. */
export class DriverInspectOperations<Tx> implements InspectOperations {
  readonly #context: OperationsContext<Tx>;

  constructor(context: OperationsContext<Tx>) {
    this.#context = context;
  }

  async counts(options: InspectOptions = {}): Promise<readonly StateCount[]> {
    const { cap, timeoutMs } = readBounds(options);
    return runtimeDriverOf(this.#context, CAPABILITY).inspect.counts({ cap, timeoutMs });
  }

  async queues(options: InspectOptions = {}): Promise<readonly QueueDepth[]> {
    const bounds = readBounds(options);
    const depths = await runtimeDriverOf(this.#context, CAPABILITY).inspect.queues(bounds);
    return depths.toSorted((a, b) => compareText(a.queue, b.queue));
  }

  async throughput(options: InspectOptions = {}): Promise<readonly MinuteThroughput[]> {
    const { cap, timeoutMs, limit: minutes } = readBounds(options, MINUTES_DEFAULT);
    const driver = runtimeDriverOf(this.#context, CAPABILITY);
    const finished = await driver.inspect.throughput({ cap, timeoutMs, minutes });
    return finished.toSorted((a, b) => Temporal.Instant.compare(b.minute, a.minute));
  }

  async clients(options: InspectOptions = {}): Promise<readonly ClientLoad[]> {
    const bounds = readBounds(options);
    const loads = await runtimeDriverOf(this.#context, CAPABILITY).inspect.clients(bounds);
    return loads.toSorted((a, b) => b.running - a.running || compareText(a.clientId, b.clientId));
  }

  async leader(options: InspectOptions = {}): Promise<LeaderTerm | null> {
    const { timeoutMs } = readBounds(options);
    return runtimeDriverOf(this.#context, CAPABILITY).leader.current({ timeoutMs });
  }

  fleetClients(options: InspectOptions = {}): Promise<readonly FleetClient[] | null> {
    return this.#fleet(options, (store, limit, call) => store.listClients(LIVE_MS, limit, call), readFleetClient);
  }

  fleetMinutes(options: InspectOptions = {}): Promise<readonly FleetMinute[] | null> {
    return this.#fleet(options, (store, limit, call) => store.listMinutes(limit, call), readFleetMinute);
  }

  fleetLatency(options: InspectOptions = {}): Promise<readonly FleetQueueLatency[] | null> {
    return this.#fleet(options, (store, limit, call) => store.listLatencies(limit, call), readQueueLatency);
  }

  fleetAudit(options: InspectOptions = {}): Promise<readonly FleetAuditEntry[] | null> {
    return this.#fleet(options, (store, limit, call) => store.listNotes(limit, call), readAuditEntry);
  }

  async #fleet<Figure>(
    options: InspectOptions,
    list: ListFleet<Tx>,
    read: (row: FleetRow) => Figure,
  ): Promise<readonly Figure[] | null> {
    const { timeoutMs, limit } = readBounds(options);
    const { backend, extension } = runtimeDriverOf(this.#context, CAPABILITY);
    const store = new FleetStore({ backend, extension, now: this.#context.environment.databaseNow });
    if (!(await store.isMigrated({ timeoutMs }))) return null;
    return (await list(store, limit, { timeoutMs })).map(read);
  }
}

type ListFleet<Tx> = (
  store: FleetStore<Tx>,
  limit: number,
  call: { readonly timeoutMs: number },
) => Promise<readonly FleetRow[]>;

/** Order by code units, the same everywhere whatever the locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function readBounds(value: unknown, limitDefault: number = LIMIT_DEFAULT): InspectBounds & { readonly limit: number } {
  const problems = new OptionProblems();
  const options = problems.object(value, "", INSPECT_KEYS);
  const bounds = {
    cap: readOptional(problems, options["cap"], "cap", integerFrom(1, CAP_MAX)) ?? CAP_DEFAULT,
    timeoutMs: readDuration(problems, options["timeout"], "timeout", TIMEOUT_DEFAULT_MS, {
      minMs: 1,
      maxMs: TIMEOUT_MAX_MS,
    }),
    limit: readLimit(problems, options["limit"], limitDefault),
  };
  problems.throwValidation();
  return bounds;
}

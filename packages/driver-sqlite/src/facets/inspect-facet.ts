/** Figures about the queues on SQLite. Between statements the event loop turns, and the time is checked. */
import {
  JOB_STATES,
  type ClientLoad,
  type InspectBounds,
  type InspectFacet,
  type MinuteThroughput,
  type QueueDepth,
  type StateCount,
} from "riverqueue/driver";
import { loopTurn } from "../connection/loop-turn.ts";
import { operationError } from "../connection/sqlite-failure.ts";
import { formatEpochMilliseconds, parseTime } from "../record/canonical-time.ts";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { FINALIZED_PER_MINUTE } from "../sql/inspect/throughput.ts";
import { RUNNING_BY_CLIENT } from "../sql/inspect/clients.ts";
import { COUNT_STATE } from "../sql/inspect/counts.ts";
import { COUNT_CLAIMABLE, COUNT_RUNNING, OLDEST_WAITING, QUEUE_NAMES } from "../sql/inspect/queues.ts";

const MINUTE_MS = 60_000;
const FINALIZED = ["cancelled", "completed", "discarded"] as const;

/** Inspection verbs of the SQLite driver. */
export class SqliteInspect implements InspectFacet {
  readonly #runner: UnitRunner;

  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  async counts(params: InspectBounds): Promise<readonly StateCount[]> {
    const steps = this.#steps("inspect.counts", params);
    const counts: StateCount[] = [];
    for (const state of JOB_STATES) {
      const count = await steps(({ connection }) => Number(connection.row(COUNT_STATE, state, params.cap + 1)?.[0]));
      counts.push({ state, count: Math.min(count, params.cap), about: count > params.cap });
    }
    return counts;
  }

  async queues(params: InspectBounds & { readonly limit: number }): Promise<readonly QueueDepth[]> {
    const steps = this.#steps("inspect.queues", params);
    const names = await steps(({ connection }) =>
      connection.rows(QUEUE_NAMES, params.limit).map(([name]) => String(name)),
    );
    const depths: QueueDepth[] = [];
    for (const name of names) depths.push(await steps((unit) => queueDepth(unit, name, params.cap)));
    return depths;
  }

  async throughput(params: InspectBounds & { readonly minutes: number }): Promise<readonly MinuteThroughput[]> {
    const steps = this.#steps("inspect.throughput", params);
    const end = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS;
    const start = end - params.minutes * MINUTE_MS;
    const range = [formatEpochMilliseconds(start), formatEpochMilliseconds(end), params.cap] as const;
    const counts = new Map<string, number>();
    for (const state of FINALIZED) {
      const rows = await steps(({ connection }) => connection.rows(FINALIZED_PER_MINUTE, state, ...range));
      for (const [minute, count] of rows) counts.set(`${state} ${String(minute)}`, Number(count));
    }
    return Array.from({ length: params.minutes }, (_, index) => minuteOf(counts, start + index * MINUTE_MS));
  }

  async clients(params: InspectBounds & { readonly limit: number }): Promise<readonly ClientLoad[]> {
    const steps = this.#steps("inspect.clients", params);
    const rows = await steps(({ connection }) => connection.rows(RUNNING_BY_CLIENT, params.cap, params.limit));
    return rows.map(([clientId, running]) => ({ clientId: String(clientId), running: Number(running) }));
  }

  /** Runs one statement at a time, within the time of the whole verb. */
  #steps(operation: string, { timeoutMs }: InspectBounds): <T>(body: (unit: Unit) => T) => Promise<T> {
    const deadline = performance.now() + timeoutMs;
    return async (body) => {
      const left = deadline - performance.now();
      if (left <= 0) throw operationError("busy", operation, { text: `took longer than ${timeoutMs} ms` });
      const result = await this.#runner.read(operation, { timeoutMs: left }, body);
      await loopTurn();
      return result;
    };
  }
}

function queueDepth({ connection, now }: Unit, queue: string, cap: number): QueueDepth {
  const available = Number(connection.row(COUNT_CLAIMABLE, queue, now, cap + 1)?.[0]);
  const running = Number(connection.row(COUNT_RUNNING, queue, cap + 1)?.[0]);
  const oldest = connection.row(OLDEST_WAITING, queue, now)?.[0];
  return {
    queue,
    available: Math.min(available, cap),
    running: Math.min(running, cap),
    about: available > cap || running > cap,
    oldestScheduledAt: typeof oldest === "string" ? parseTime(oldest) : null,
  };
}

function minuteOf(counts: ReadonlyMap<string, number>, startMs: number): MinuteThroughput {
  const minute = formatEpochMilliseconds(startMs).slice(0, 16);
  const [cancelled = 0, completed = 0, discarded = 0] = FINALIZED.map((state) => counts.get(`${state} ${minute}`) ?? 0);
  return { minute: Temporal.Instant.fromEpochMilliseconds(startMs), cancelled, completed, discarded };
}

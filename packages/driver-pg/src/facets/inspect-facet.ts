/** Figures about the queues on Postgres. Each verb is one statement, cancelled on the server when its time is over. */
import {
  JOB_STATES,
  type ClientLoad,
  type InspectBounds,
  type InspectFacet,
  type JobState,
  type MinuteThroughput,
  type QueueDepth,
  type StateCount,
} from "riverqueue/driver";
import type { PgRow } from "../connection/pg-connection.ts";
import { formatArray } from "../record/pg-array.ts";
import { parseTime } from "../record/pg-time.ts";
import type { Runners } from "../scope/runners.ts";
import { RUNNING_BY_CLIENT } from "../sql/inspect/clients.ts";
import { COUNT_STATES } from "../sql/inspect/counts.ts";
import { QUEUE_DEPTHS } from "../sql/inspect/queues.ts";
import { FINALIZED_PER_MINUTE } from "../sql/inspect/throughput.ts";

/** Inspection verbs of the Postgres driver. */
export class PgInspect implements InspectFacet {
  readonly #runners: Runners;

  constructor(runners: Runners) {
    this.#runners = runners;
  }

  counts({ cap, timeoutMs }: InspectBounds): Promise<readonly StateCount[]> {
    return this.#runners.work.use("inspect.counts", { timeoutMs }, async (unit) => {
      const rows = await unit.rows(COUNT_STATES, formatArray(JOB_STATES), String(cap + 1));
      return rows.map(([state, count]) => ({ state: state as JobState, ...capped(count, cap) }));
    });
  }

  queues({ cap, timeoutMs, limit }: InspectBounds & { readonly limit: number }): Promise<readonly QueueDepth[]> {
    return this.#runners.work.use("inspect.queues", { timeoutMs }, async (unit) => {
      const rows = await unit.rows(QUEUE_DEPTHS, String(limit), String(cap + 1), unit.now);
      return rows.map((row) => queueDepth(row, cap));
    });
  }

  throughput({
    cap,
    timeoutMs,
    minutes,
  }: InspectBounds & { readonly minutes: number }): Promise<readonly MinuteThroughput[]> {
    return this.#runners.work.use("inspect.throughput", { timeoutMs }, async (unit) => {
      const rows = await unit.rows(FINALIZED_PER_MINUTE, String(minutes), String(cap));
      return [...Map.groupBy(rows, ([minute]) => minute ?? "")].map(([minute, counts]) => minuteOf(minute, counts));
    });
  }

  clients({ cap, timeoutMs, limit }: InspectBounds & { readonly limit: number }): Promise<readonly ClientLoad[]> {
    return this.#runners.work.use("inspect.clients", { timeoutMs }, async (unit) => {
      const rows = await unit.rows(RUNNING_BY_CLIENT, String(cap), String(limit));
      return rows.map(([clientId, running]) => ({ clientId: String(clientId), running: Number(running) }));
    });
  }
}

function capped(text: string | null | undefined, cap: number): { readonly count: number; readonly about: boolean } {
  const count = Number(text);
  return { count: Math.min(count, cap), about: count > cap };
}

function queueDepth([queue, available, running, oldest]: PgRow, cap: number): QueueDepth {
  const [waiting, working] = [capped(available, cap), capped(running, cap)];
  return {
    queue: String(queue),
    available: waiting.count,
    running: working.count,
    about: waiting.about || working.about,
    oldestScheduledAt: parseTime(oldest ?? ""),
  };
}

function minuteOf(minute: string, counts: readonly PgRow[]): MinuteThroughput {
  const at = parseTime(minute);
  if (at === null) throw new RangeError("the database returned a minute that is no time");
  const countOf = (state: JobState): number => Number(counts.find((row) => row[1] === state)?.[2] ?? 0);
  return {
    minute: at,
    cancelled: countOf("cancelled"),
    completed: countOf("completed"),
    discarded: countOf("discarded"),
  };
}

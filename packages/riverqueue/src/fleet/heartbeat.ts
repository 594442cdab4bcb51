/** What a client says of itself, from the diagnostics of its runtime. */
import { hostname } from "node:os";
import type { FleetClient } from "../api/fleet-figures.ts";
import type { RunDiagnostics } from "../api/run-handle.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { riverVersion } from "./river-version.ts";

/** One row of `river_fleet_client`, in its own types. */
export interface Heartbeat extends Pick<
  FleetClient,
  "clientId" | "host" | "processId" | "running" | "runtime" | "startedAt" | "state" | "version"
> {
  /** JSON text: `{ name: { max_workers, paused } }`. */
  readonly queues: string;
  /** Milliseconds; null before the first observation. */
  readonly loopDelay: { readonly max: number; readonly mean: number; readonly p99: number } | null;
  /** JSON text: what each executor reports, by name. */
  readonly executors: string;
}

/** See the file header. */
export function heartbeatOf(diagnostics: RunDiagnostics, startedAt: Temporal.Instant): Heartbeat {
  const { clientId, state, queues, activeAttempts, eventLoopDelay: delay, executors } = diagnostics;
  const settings = Object.entries(queues).map(([name, { maxWorkers, paused }]) => [
    name,
    { max_workers: maxWorkers, paused },
  ]);
  return {
    clientId,
    host: hostname(),
    processId: process.pid,
    version: riverVersion(),
    runtime: `node ${process.versions.node}`,
    state,
    startedAt,
    queues: JSON.stringify(Object.fromEntries(settings)),
    running: activeAttempts,
    loopDelay: delay && { max: msOf(delay.max), mean: msOf(delay.mean), p99: msOf(delay.p99) },
    executors: stringifyJson(executors),
  };
}

function msOf(duration: Temporal.Duration): number {
  return duration.total("milliseconds");
}

/** What this process holds: everything that a client could leave behind in it. */
import { readFileSync } from "node:fs";

/** Counts by kind. */
export interface HeldResources {
  /** Timers, sockets, threads, watchers: what keeps the event loop alive. */
  readonly active: Readonly<Record<string, number>>;
  /** Listeners on `process`, by event. */
  readonly listeners: Readonly<Record<string, number>>;
  /** Threads of the process, null where the system does not say. */
  readonly threads: number | null;
}

/** Counts them. */
export function heldResources(): HeldResources {
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const listeners = Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
  return { active, listeners, threads: threadCount() };
}

function threadCount(): number | null {
  try {
    return Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? Number.NaN);
  } catch {
    return null;
  }
}

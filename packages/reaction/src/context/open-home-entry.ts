/** What homes open for each entry: its context, and the wait for what it leaves running. */
import { systemTiming, type Timing } from "../kit/timing.ts";
import { BackgroundWork } from "./background-work.ts";
import { createWorkerCtx, type WorkerCtxParts } from "./create-worker-ctx.ts";
import type { WorkerCtx } from "./worker-ctx.ts";

/** See {@link openHomeEntry}. */
export interface HomeEntry<Env> {
  readonly ctx: WorkerCtx<Env>;
  /** Resolves when the work given to the context's `waitUntil` is done, and after ten seconds at the latest. */
  readonly settled: () => Promise<void>;
}

/**
 * Opens an entry. For homes, and for tests that stand for one: an application is handed its contexts by its home, or gets
 * them from `resolveFetchWorkerCtx`.
 */
export function openHomeEntry<Env>(parts: WorkerCtxParts<Env>, timing: Timing = systemTiming): HomeEntry<Env> {
  const background = new BackgroundWork(timing);
  const ctx = createWorkerCtx({
    ...parts,
    waitUntil(work) {
      background.add(work);
      parts.waitUntil?.(work);
    },
  });
  return Object.freeze({ ctx, settled: () => background.settled() });
}

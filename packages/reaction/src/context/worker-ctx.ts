/** What every entry gives to code: where it runs, how it logs, what time it is. */
import type { Logger } from "../logging/logger.ts";

/** Which entry a context belongs to. A webhook is a `fetch`. */
export type WorkerEntry = "fetch" | "queue" | "scheduled";

/** See the file header. HTTP routes get one from `resolveFetchWorkerCtx`; cron and queue entries are handed theirs. */
export interface WorkerCtx<Env = unknown> {
  readonly entry: WorkerEntry;
  /** Bindings and variables. */
  readonly env: Env;
  /** Named in log entries; of the request where it has one. */
  readonly requestId: string;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Keeps the entry alive until `work` has settled. A rejection is logged. */
  readonly waitUntil: (work: PromiseLike<unknown>) => void;
}

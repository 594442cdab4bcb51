/** Everything that can be thrown, and thenables that do not keep to the rules, from handlers in threads. */
import { throwables } from "@riverqueue/internal-test-kit/throwables";
import type { WorkerThreadWorkContext } from "@riverqueue/worker-threads";
import { THENABLES } from "./thenables.ts";

let zoo: ReturnType<typeof throwables> | null = null;

/** Throws on the first attempt, and succeeds on the second. */
export function throwOnce({ job, logger }: WorkerThreadWorkContext): void {
  logger.info("called");
  if (job.attempt > 1) return;
  // oxlint-disable-next-line typescript/only-throw-error -- anything may be thrown
  throw (zoo ??= throwables())[Number(job.rawArgs["n"]) - 1]?.value;
}

/** Returns what is no promise of anybody's making. */
export function returnThenable({ job }: WorkerThreadWorkContext): Promise<void> {
  // oxlint-disable-next-line unicorn/no-thenable -- the case is about thenables
  return { then: THENABLES[Number(job.rawArgs["n"]) - 1]?.[1] } as unknown as Promise<void>;
}

/** Waiting for what nothing announces, such as a row that another process writes. The one place where tests poll. */
import { DEFAULT_DEADLINE_MS, type DeadlineOptions } from "./with-deadline.ts";

const INTERVAL_MS = 5;

/**
 * Calls `check` every few milliseconds until it gives something else than false, null or undefined, and resolves to
 * that. Use it only where no event can be waited for. What `check` throws rejects at once.
 */
export async function pollUntil<T>(
  check: () => T | PromiseLike<T>,
  { deadlineMs = DEFAULT_DEADLINE_MS }: DeadlineOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const found = await check();
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>;
    }
    if (performance.now() >= deadline) throw new Error(`nothing was found by polling for ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

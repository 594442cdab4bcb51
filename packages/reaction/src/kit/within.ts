/** Waits for an answer, and no longer than so long: what was asked may go on by itself, and may still take effect. */
import type { Timing } from "./timing.ts";

/** What `step` resolves to. @throws a DOMException `TimeoutError` when it has not answered after `ms`. */
export async function within<T>(timing: Timing, ms: number, step: () => PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = timing.after(Math.max(0, ms), () => {
    late.reject(new DOMException(`no answer within ${Math.ceil(ms)} ms`, "TimeoutError"));
  });
  try {
    return await Promise.race([step(), late.promise]);
  } finally {
    cancel();
  }
}

/** Whether it is what {@link within} throws: nobody knows what became of the step. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

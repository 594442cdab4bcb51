/** The time that a consumer has for one batch. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { LONGEST_TIMER_MS } from "../kit/duration.ts";
import type { QueueBatch } from "../seam/message-queue.ts";

/**
 * Has `consume` work the batch and rejects when that takes longer. Nothing can end the consumer's code: what it still says
 * about messages has no effect then, and how it ends is nobody's concern.
 */
export async function consumeWithin(
  timeoutMs: number,
  consume: (batch: QueueBatch, ctx: WorkerCtx) => PromiseLike<void> | void,
  batch: QueueBatch,
  ctx: WorkerCtx,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = (): void => reject(new Error(`the consumer took longer than ${timeoutMs} ms`));
  const timer: unknown = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
  // A consumer that hangs is no reason for a process to live on. The timers of Workers are numbers.
  (timer as { readonly unref?: () => void }).unref?.();
  try {
    Promise.resolve(consume(batch, ctx)).then(resolve, reject);
    await promise;
  } finally {
    clearTimeout(timer as number);
  }
}

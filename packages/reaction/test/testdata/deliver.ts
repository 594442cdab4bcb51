/** Delivers messages by hand, as a queue would. */
import type { QueueEntry, WorkerCtx } from "@riverqueue/reaction";
import { type MessageVerdict, runBatch } from "@riverqueue/reaction/home";

/** One delivery of one message; what becomes of it. */
export async function deliver(
  consume: QueueEntry,
  ctx: WorkerCtx,
  message: { readonly body: unknown; readonly attempts?: number; readonly queue?: string; readonly id?: string },
): Promise<MessageVerdict> {
  const { body, attempts = 1, queue = "async-policy-task", id = "1" } = message;
  const [verdict] = await runBatch(consume, queue, [{ id, timestamp: new Date(0), attempts, body }], ctx);
  if (verdict === undefined) throw new Error("a batch of one has one verdict");
  return verdict;
}

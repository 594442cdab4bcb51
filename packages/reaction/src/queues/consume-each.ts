/** How the two batching consumers mark messages: each by itself, and none delivered a fourth time. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import type { AlertRaiser } from "../processor/alert-raiser.ts";
import type { QueueBatch, QueueMessage } from "../seam/message-queue.ts";

/** What a batching consumer does. */
export interface EachConsumer<Item> {
  /** Null for a body that this package did not write. */
  readonly decode: (body: unknown) => Item | null;
  /** Writes all or none. */
  readonly write: (items: readonly Item[]) => Promise<void>;
  readonly alerts: AlertRaiser;
}

/** The failure at which a message is given up. */
const LAST_FAILURE = 3;
const FIRST_DELAY_SECONDS = 10;

/**
 * Writes the batch, or what of it can be written: those messages are acknowledged, the others retried, and given up on
 * their third failure with an alert. Malformed ones are acknowledged with an alert.
 */
export async function consumeEach<Item>(
  { decode, write, alerts }: EachConsumer<Item>,
  batch: QueueBatch,
  ctx: WorkerCtx,
): Promise<void> {
  const wellFormed: { readonly message: QueueMessage; readonly item: Item }[] = [];
  for (const message of batch.messages) {
    const item = decode(message.body);
    if (item !== null) {
      wellFormed.push({ message, item });
      continue;
    }
    await alerts.raise(ctx, {
      severity: "high",
      code: "malformed_message",
      message: "a message was not written by this package; it is acknowledged and dropped",
      queue: batch.queue,
      messageId: message.id,
    });
    message.ack();
  }
  const failures = await writeMost(write, wellFormed);
  for (const { message } of wellFormed) {
    if (failures.has(message)) await fail(alerts, batch.queue, message, failures.get(message), ctx);
    else message.ack();
  }
}

/** All at once, or else one by one; what could not be written and why. */
async function writeMost<Item>(
  write: EachConsumer<Item>["write"],
  all: readonly { readonly message: QueueMessage; readonly item: Item }[],
): Promise<ReadonlyMap<QueueMessage, unknown>> {
  const failures = new Map<QueueMessage, unknown>();
  if (all.length === 0) return failures;
  try {
    await write(all.map(({ item }) => item));
  } catch (error) {
    if (all.length === 1 && all[0] !== undefined) return failures.set(all[0].message, error);
    for (const { message, item } of all) {
      try {
        await write([item]);
      } catch (thrown) {
        failures.set(message, thrown);
      }
    }
  }
  return failures;
}

async function fail(
  alerts: AlertRaiser,
  queue: string,
  message: QueueMessage,
  error: unknown,
  ctx: WorkerCtx,
): Promise<void> {
  ctx.logger.error(
    { error, queue, messageId: message.id, attempts: message.attempts },
    "a message could not be written",
  );
  if (message.attempts < LAST_FAILURE) {
    return message.retry({ delay: { seconds: FIRST_DELAY_SECONDS * 2 ** (message.attempts - 1) } });
  }
  await alerts.raise(ctx, {
    severity: "high",
    code: "message_dropped",
    message: `a message could not be written in ${message.attempts} deliveries and was given up`,
    queue,
    messageId: message.id,
  });
  message.ack();
}

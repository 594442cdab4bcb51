/** The three queues with a fixed purpose. Applications put nothing on them themselves; they define queues of their own. */
import { decodeAnalyticsEvent } from "../analytics/analytics.ts";
import type { AnalyticsStore } from "../seam/analytics-store.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import { decodeLogEntry, encodeLogEntry, type LogEntry, logKey } from "../logging/log-entry.ts";
import { consumeEach } from "../queues/consume-each.ts";
import { defineQueue, type QueueDefinition } from "../queues/define-queue.ts";
import type { AlertRaiser } from "./alert-raiser.ts";
import type { Processor } from "./processor.ts";

/** Name of the queue of the processor's messages. */
export const ASYNC_POLICY_TASK = "async-policy-task";
/** Name of the queue of log entries. */
export const ASYNC_LOGGER = "async-logger";
/** Name of the queue of analytics events. */
export const ANALYTICS_EVENTS = "analytics-events";

/** How long they may take is the home's to say: it depends on the lease. */
const COMMON = { batchTimeout: { seconds: 1 }, maxConcurrency: 1, maxRetries: 3, timeout: { hours: 12 } } as const;

/** Runs commands. */
export function asyncPolicyTaskQueue(processor: Processor, maxConcurrency: number): QueueDefinition {
  return defineQueue({
    ...COMMON,
    name: ASYNC_POLICY_TASK,
    batchSize: 1,
    maxConcurrency,
    consume: (batch, ctx) => processor.consume(batch, ctx),
  });
}

/** Writes log entries to the key-value store, under `log/<time>/<id>`, until they expire. */
export function asyncLoggerQueue(store: KeyValueStore, alerts: AlertRaiser, expiresInSeconds: number): QueueDefinition {
  const put = (entry: LogEntry): Promise<void> =>
    store.put(logKey(entry), JSON.stringify(encodeLogEntry(entry)), { expiresInSeconds });
  return defineQueue({
    ...COMMON,
    name: ASYNC_LOGGER,
    batchSize: 50,
    consume: (batch, ctx) =>
      consumeEach(
        { decode: decodeLogEntry, alerts, write: async (all) => void (await Promise.all(all.map(put))) },
        batch,
        ctx,
      ),
  });
}

/** Writes analytics events to the analytics tables; twice the same id counts once. */
export function analyticsEventsQueue(store: AnalyticsStore, alerts: AlertRaiser): QueueDefinition {
  return defineQueue({
    ...COMMON,
    name: ANALYTICS_EVENTS,
    batchSize: 8,
    consume: (batch, ctx) =>
      consumeEach({ decode: decodeAnalyticsEvent, alerts, write: (all) => store.write(all) }, batch, ctx),
  });
}

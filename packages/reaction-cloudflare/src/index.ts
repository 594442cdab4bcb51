/**
 * Reaction on Cloudflare: Queues, D1 and KV as its home, and the export of a Worker's module.
 *
 * @packageDocumentation
 */
export { createCloudflareHome } from "./create-cloudflare-home.ts";
export type { CloudflareHome, CloudflareHomeOptions } from "./create-cloudflare-home.ts";
export { createQueueSender } from "./create-queue-sender.ts";
export { createWorker } from "./create-worker.ts";
export type { CloudflareWorker, WorkerOptions } from "./create-worker.ts";
export type {
  CloudflareBindings,
  D1Binding,
  D1StatementBinding,
  KvBinding,
  QueueBinding,
  QueueBindingMessage,
} from "./bindings.ts";
export type { DeliveredBatch, DeliveredMessage, ScheduledEvent, WorkerExecutionContext } from "./worker-events.ts";

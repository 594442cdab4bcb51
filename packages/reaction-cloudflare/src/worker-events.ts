/** What Cloudflare hands to the handlers of a Worker, as far as this package uses it. */

/** Keeps an invocation alive. */
export interface WorkerExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

/** A message as the platform delivers it. */
export interface DeliveredMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly attempts: number;
  readonly body: unknown;
  ack(): void;
  retry(options?: { delaySeconds?: number }): void;
}

/** A batch as the platform delivers it. */
export interface DeliveredBatch {
  readonly queue: string;
  readonly messages: readonly DeliveredMessage[];
}

/** A run of a cron trigger. */
export interface ScheduledEvent {
  readonly cron: string;
  /** Milliseconds since the epoch. */
  readonly scheduledTime: number;
}

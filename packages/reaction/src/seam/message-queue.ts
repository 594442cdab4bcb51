/** Queues as senders and consumers see them. The names and rules are those of Cloudflare Queues. */
import type { DurationInput } from "../kit/duration.ts";
import type { JsonValue } from "../model/json-value.ts";

/** One message to send. */
export interface OutgoingMessage {
  /** At most 127,900 bytes as JSON: the queue counts 100 more. */
  readonly body: JsonValue;
  /** How long before its first delivery; none by default. */
  readonly delay?: DurationInput | undefined;
}

/** Sends to one queue. */
export interface QueueSender {
  /**
   * Sends all messages, split where a queue takes fewer at once. Resolves when all are stored.
   *
   * @throws ValidationError for no list, a body that is no JSON or a bad delay, and MessageTooLargeError, before anything is
   *   sent; whatever the queue throws, when some may have been sent.
   */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
}

/** One delivered message. The first call of `ack` or `retry` decides; later ones have no effect and are logged. */
export interface QueueMessage {
  readonly id: string;
  /** When it was sent. */
  readonly timestamp: Date;
  /** How often it has been delivered, this time included. */
  readonly attempts: number;
  readonly body: unknown;
  /** Done with it. */
  ack(): void;
  /** Deliver it again, after `delay` or the queue's own delay; past the queue's retries it is given up. */
  retry(options?: { readonly delay?: DurationInput | undefined }): void;
}

/**
 * Messages delivered together. A consumer that returns acknowledges what was not marked; one that throws retries what was
 * not acknowledged.
 */
export interface QueueBatch {
  /** The queue's actual name. */
  readonly queue: string;
  readonly messages: readonly QueueMessage[];
  /** Acknowledges what is not marked. */
  ackAll(): void;
  /** Retries what is not marked. */
  retryAll(options?: { readonly delay?: DurationInput | undefined }): void;
}

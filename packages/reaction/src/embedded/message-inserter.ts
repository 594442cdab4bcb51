/** Puts messages into River queues: each is a job of one kind whose arguments hold the body. */
import { delayToMs } from "../kit/duration.ts";
import { jsonText } from "../kit/canonical-json.ts";
import { ValidationError } from "../model/validation-error.ts";
import { splitMessages } from "../queues/split-messages.ts";
import type { OutgoingMessage, QueueSender } from "../seam/message-queue.ts";
import type { DriverCall, EncodedJob, RuntimeDriver } from "./runtime-driver.ts";

/** Kind of the jobs that are messages. */
export const MESSAGE_KIND = "reaction_message";

/** What differs from message to message. */
export interface MessageJob {
  readonly queue: string;
  readonly maxAttempts: number;
  readonly message: OutgoingMessage;
}

/**
 * Attempts of the jobs that are messages of an application's queue: one more than it has deliveries. A client that finds a
 * job stuck in its last attempt, after a crash, discards it; with one left the message comes back, and is given up as it
 * should be.
 */
export function attemptsFor(maxRetries: number): number {
  return maxRetries + 2;
}

/** Claims of one producer are this far apart at least, so further notices would wake nobody. */
const NOTICE_INTERVAL_MS = 5;
const PRIORITY = 1;

/** See the file header. */
export class MessageInserter<Tx> {
  readonly #driver: RuntimeDriver<Tx>;
  readonly #timeoutMs: number;
  readonly #noticedAt = new Map<string, number>();

  /** @param timeoutMs - milliseconds after which an insertion outside of a transaction fails that has no answer. */
  constructor(driver: RuntimeDriver<Tx>, timeoutMs: number) {
    this.#driver = driver;
    this.#timeoutMs = timeoutMs;
  }

  /** A sender for one queue. */
  sender(queue: string, maxAttempts: number): QueueSender {
    return Object.freeze({
      send: async (messages: readonly OutgoingMessage[]) => {
        let index = 0;
        // All are looked at before the first is inserted: what is refused has not been sent in part.
        const groups = splitMessages(messages).map((group) =>
          group.map((message) => encode({ queue, maxAttempts, message }, index++)),
        );
        for (const jobs of groups) await this.#insert(jobs);
      },
    });
  }

  /** Inserts all as one unit, in the call's transaction if it has one. */
  async insert(messages: readonly MessageJob[], call?: DriverCall<Tx>): Promise<void> {
    if (messages.length > 0) await this.#insert(messages.map(encode), call);
  }

  async #insert(jobs: readonly EncodedJob[], call: DriverCall<Tx> = { timeoutMs: this.#timeoutMs }): Promise<void> {
    const queues = new Set(jobs.map(({ queue }) => queue));
    const notices = [...queues].filter((queue) => this.#isDue(queue)).map(insertNotice);
    await this.#driver.jobs.insert({ jobs, notices, durability: "default" }, call);
  }

  #isDue(queue: string): boolean {
    const now = performance.now();
    if (now - (this.#noticedAt.get(queue) ?? -Infinity) < NOTICE_INTERVAL_MS) return false;
    this.#noticedAt.set(queue, now);
    return true;
  }
}

/** U+0000 and the halves of surrogate pairs, as `JSON.stringify` writes them. */
const UNREADABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** @throws ValidationError for what Postgres does not take and no River client reads back: it would be lost later. */
function encode({ queue, maxAttempts, message }: MessageJob, index: number): EncodedJob {
  const body = jsonText(message.body);
  if (UNREADABLE.test(body)) {
    throw new ValidationError(`messages[${index}].body must not hold U+0000 or half of a surrogate pair`);
  }
  const delayMs = message.delay === undefined ? 0 : delayToMs(message.delay);
  return {
    kind: MESSAGE_KIND,
    queue,
    state: delayMs > 0 ? "scheduled" : "available",
    priority: PRIORITY,
    maxAttempts,
    args: `{"body":${body}}`,
    metadata: "{}",
    tags: [],
    scheduledAt: delayMs > 0 ? Temporal.Now.instant().add({ milliseconds: Math.ceil(delayMs) }) : null,
    uniqueKey: null,
    uniqueStates: null,
  };
}

/** What River clients of every language send when a job becomes available. */
function insertNotice(queue: string): { readonly topic: "river_insert"; readonly payload: string } {
  return { topic: "river_insert", payload: JSON.stringify({ queue }) };
}

/** Works the jobs that are messages: gives each to the consumer of its queue, and does with it what that says. */
import {
  discard,
  JobTimeoutError,
  type JsonObject,
  snooze,
  stringifyJson,
  type WorkContext,
  type WorkOutcome,
} from "riverqueue";
import { BackgroundWork } from "../context/background-work.ts";
import { createWorkerCtx } from "../context/create-worker-ctx.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { LONGEST_TIMER_MS } from "../kit/duration.ts";
import type { Logger } from "../logging/logger.ts";
import { ANALYTICS_EVENTS, ASYNC_LOGGER, ASYNC_POLICY_TASK } from "../processor/built-in-queues.ts";
import type { Reaction } from "../processor/create-reaction.ts";
import { type MessageVerdict, type ReceivedMessage, runBatch } from "../queues/batch-marks.ts";
import type { QueueDefinition } from "../queues/define-queue.ts";
import { consumeWithin } from "../queues/limit-consumer.ts";
import type { NamedQueue, QueueEntry } from "../queues/queue-entry.ts";
import { BatchCoalescer } from "./batch-coalescer.ts";
import { attemptsFor } from "./message-inserter.ts";
import type { MessagesAtWork } from "./messages-at-work.ts";
import { RetryMessageError } from "./retry-message-error.ts";

/** What contexts of this home have in common. */
export interface EntryParts {
  readonly env: unknown;
  readonly logger: Logger;
  readonly now: (() => Date) | undefined;
}

/** The parts of an attempt that count here. */
type MessageContext = Pick<WorkContext, "execution" | "job" | "signal">;

type Messages = Pick<MessagesAtWork<never>, "begin" | "end" | "replace">;

interface Station {
  readonly definition: QueueDefinition;
  /** Milliseconds that the consumer has for a batch. */
  readonly limitMs: number;
  readonly coalescer: BatchCoalescer;
}

/** See the file header. */
export class MessageWorker {
  readonly #reaction: Reaction;
  readonly #messages: Messages;
  readonly #parts: EntryParts;
  readonly #stations = new Map<string, Station>();
  /** Delays asked for, until River asks when the job is due. */
  readonly #delays = new Map<bigint, number>();

  constructor(reaction: Reaction, messages: Messages, parts: EntryParts) {
    this.#reaction = reaction;
    this.#messages = messages;
    this.#parts = parts;
    for (const named of reaction.queues) this.#stations.set(named.actualName, this.#station(named));
  }

  /** Whether no message of the processor's is being worked. */
  get isIdle(): boolean {
    return [...this.#stations.values()].every(
      ({ definition, coalescer }) => definition.name !== ASYNC_POLICY_TASK || coalescer.isIdle,
    );
  }

  /**
   * Milliseconds that an attempt of any message may take. Long enough for one that waits for all batches before it and for
   * its own to fill up: a message that waits for its turn has not been delivered, and must not lose a delivery.
   */
  get timeoutMs(): number {
    const longest = [...this.#stations.values()].map(({ definition, limitMs }) => {
      const batchMs = limitMs + BACKGROUND_MS;
      // As many are claimed as fit into all batches at once, so that each waits for one of them at most.
      return definition.batchSize === 1 ? batchMs : 2 * batchMs + definition.batchTimeoutMs;
    });
    return Math.min(LONGEST_TIMER_MS, Math.ceil(Math.max(...longest) + GRACE_MS));
  }

  /** One attempt of one job. */
  async work(attempt: MessageContext): Promise<WorkOutcome | undefined> {
    this.#messages.begin(attempt);
    try {
      return await this.#work(attempt);
    } finally {
      this.#messages.end(attempt);
    }
  }

  async #work(context: MessageContext): Promise<WorkOutcome | undefined> {
    const { job } = context;
    const station = this.#stations.get(job.queue);
    const body = readBody(job.rawArgs);
    if ("error" in body) return this.#dropUnread(context, body.error);
    const message: ReceivedMessage = {
      id: String(job.id),
      timestamp: new Date(job.createdAt.epochMilliseconds),
      attempts: job.attempt,
      body: body.value,
    };
    if (station === undefined) return this.#workAlone(job.queue, message, job.id);
    const { definition } = station;
    const deliveries = definition.maxRetries + 1;
    if (job.attempt > deliveries && wasRescued(job)) {
      return this.#giveUp(definition, context, message, job.attempt - 1);
    }
    const verdict = await this.#verdict(station, message, context);
    if (verdict.type === "ack") return undefined;
    if (job.attempt >= Math.min(deliveries, job.maxAttempts)) {
      return this.#giveUp(definition, context, message, job.attempt);
    }
    this.#delays.set(job.id, verdict.delayMs ?? definition.retryDelayMs);
    throw verdict.error ?? new RetryMessageError();
  }

  async #verdict(
    { coalescer }: Station,
    message: ReceivedMessage,
    { signal }: MessageContext,
  ): Promise<MessageVerdict & { readonly error?: Error }> {
    try {
      return await coalescer.add(message, signal);
    } catch (error) {
      // River would end a job that has no attempt left with it, and its message would be lost.
      if (error instanceof JobTimeoutError) return { type: "retry", delayMs: null, error };
      throw error;
    }
  }

  /** When a job whose attempt has failed is due again. */
  retryAt(jobId: bigint, now: Temporal.Instant): Temporal.Instant {
    const delayMs = this.#delays.get(jobId) ?? 0;
    this.#delays.delete(jobId);
    return now.add({ milliseconds: Math.ceil(delayMs) });
  }

  /** A context for one batch or sweep, and a wait for what it has left running in the background. */
  entry(entry: "queue" | "scheduled"): { readonly ctx: WorkerCtx; readonly settled: () => Promise<void> } {
    const background = new BackgroundWork();
    const ctx = createWorkerCtx({ ...this.#parts, entry, waitUntil: (work) => background.add(work) });
    return { ctx, settled: () => background.settled() };
  }

  #station({ definition, actualName }: NamedQueue): Station {
    const { consume, leaseMs } = this.#reaction;
    const isBuiltIn = [ASYNC_POLICY_TASK, ASYNC_LOGGER, ANALYTICS_EVENTS].includes(definition.name);
    const limitMs = isBuiltIn ? leaseMs + GRACE_MS : definition.timeoutMs;
    const limited: QueueEntry = (batch, batchCtx) => consumeWithin(limitMs, consume, batch, batchCtx);
    const work = async (messages: readonly ReceivedMessage[]): Promise<readonly MessageVerdict[]> => {
      const { ctx, settled } = this.entry("queue");
      // The entry knows the limits of the application's own queues.
      const verdicts = await runBatch(isBuiltIn ? limited : consume, actualName, messages, ctx);
      await settled();
      return verdicts;
    };
    return { definition, limitMs, coalescer: new BatchCoalescer(definition, work) };
  }

  /** A queue that this process works and no consumer is for: alerted and retried, like everywhere. */
  async #workAlone(queue: string, message: ReceivedMessage, jobId: bigint): Promise<never> {
    const { ctx, settled } = this.entry("queue");
    await runBatch(this.#reaction.consume, queue, [message], ctx);
    await settled();
    this.#delays.set(jobId, UNKNOWN_QUEUE_DELAY_MS);
    throw new RetryMessageError();
  }

  /** Of a queue of the application it is what `queueNames` says, like everywhere. */
  #actualName(queue: string): string {
    return this.#reaction.queues.find(({ definition }) => definition.name === queue)?.actualName ?? queue;
  }

  /** Nobody can read it, the next time neither: without an alert it would be lost in silence. */
  async #dropUnread({ job: { queue, id } }: MessageContext, error: unknown): Promise<WorkOutcome> {
    const { ctx } = this.entry("queue");
    const messageId = String(id);
    ctx.logger.error({ error, queue, messageId }, "the body of a message cannot be read");
    await this.#reaction.alerts.raise(ctx, {
      severity: "high",
      code: "malformed_message",
      message: "the body of a message cannot be read; it is dropped",
      queue,
      messageId,
    });
    return discard({ reason: "its body cannot be read" });
  }

  /** To the dead-letter queue, in the transaction that discards it, or nowhere, with an alert. */
  async #giveUp(
    { deadLetterQueue }: QueueDefinition,
    context: MessageContext,
    message: ReceivedMessage,
    deliveries: number,
  ): Promise<WorkOutcome> {
    const { ctx } = this.entry("queue");
    const { queue } = context.job;
    if (deadLetterQueue === null) {
      await this.#reaction.alerts.raise(ctx, {
        severity: "high",
        code: "message_dropped",
        message: `a message was given up after ${deliveries} deliveries`,
        queue,
        messageId: message.id,
      });
      return discard({ reason: "given up after its last delivery" });
    }
    const to = this.#actualName(deadLetterQueue);
    const maxAttempts = attemptsFor(this.#stations.get(to)?.definition.maxRetries ?? DEFAULT_RETRIES);
    const dead = { queue: to, maxAttempts, message: { body: message.body as never } };
    const reason = `moved to the dead-letter queue ${to}`;
    try {
      await this.#messages.replace(context, reason, dead);
    } catch (error) {
      // Failing the last attempt would lose the message.
      ctx.logger.error({ error, queue, messageId: message.id }, "a message could not be moved; it is delivered again");
      return snooze({ milliseconds: UNMOVED_DELAY_MS });
    }
    return discard({ reason });
  }
}

const UNKNOWN_QUEUE_DELAY_MS = 60_000;
const UNMOVED_DELAY_MS = 10_000;
const DEFAULT_RETRIES = 3;
/** Beyond the lease, so that a handler that outlives it still ends by its own means. */
const GRACE_MS = 10_000;
/** At most, for which the verdicts on a batch wait for work that its consumer has left running in the background. */
const BACKGROUND_MS = 10_000;
/** How the error of a rescue begins, whatever River client made it. */
const RESCUED = "Stuck job rescued";

/** Whether the attempt before this one ended with its process, and not by an operator's retry. */
function wasRescued({ attempt, errors }: WorkContext["job"]): boolean {
  const last = errors.at(-1);
  return last?.attempt === attempt - 1 && last.error.startsWith(RESCUED);
}

/** With plain numbers, as messages have them everywhere. */
function readBody(args: JsonObject): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: (JSON.parse(stringifyJson(args)) as { readonly body?: unknown }).body };
  } catch (error) {
    return { error };
  }
}

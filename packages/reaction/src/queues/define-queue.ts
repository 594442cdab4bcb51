/** Queues: how messages are batched, retried and consumed. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { type DurationInput, readDuration } from "../kit/duration.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import type { QueueBatch } from "../seam/message-queue.ts";

/** Options of {@link defineQueue}. */
export interface QueueOptions {
  /** 1 to 63 lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Messages of one batch at most, 1 to 100, default 10. */
  readonly batchSize?: number | undefined;
  /** How long a batch waits to fill up, at most 60 s, default 5 s. */
  readonly batchTimeout?: DurationInput | undefined;
  /** Batches consumed at the same time, 1 to 250, default 1. The embedded home counts per process. */
  readonly maxConcurrency?: number | undefined;
  /** Redeliveries of one message, 0 to 100, default 3. */
  readonly maxRetries?: number | undefined;
  /** Pause before a redelivery that says nothing else, at most 12 h; none by default. */
  readonly retryDelay?: DurationInput | undefined;
  /**
   * Time that `consume` has for one batch, 1 ms to 12 h, default 15 min, which is also the most that Cloudflare allows. One
   * that takes longer is taken to have failed: what it has not marked by then is retried, while its code may still run. Time
   * for which messages wait for their batch to fill up, or for their turn, does not count.
   *
   * @addition
   */
  readonly timeout?: DurationInput | undefined;
  /** Where messages go that used up their redeliveries. Without one they are dropped, with an alert. */
  readonly deadLetterQueue?: string | undefined;
  /** Consumes one batch. */
  consume(batch: QueueBatch, ctx: WorkerCtx): PromiseLike<void> | void;
}

/** A queue with its options checked. Made by {@link defineQueue}. */
export interface QueueDefinition {
  readonly name: string;
  readonly batchSize: number;
  /** Milliseconds. */
  readonly batchTimeoutMs: number;
  readonly maxConcurrency: number;
  readonly maxRetries: number;
  /** Milliseconds. */
  readonly retryDelayMs: number;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly deadLetterQueue: string | null;
  readonly consume: (batch: QueueBatch, ctx: WorkerCtx) => PromiseLike<void> | void;
}

const KNOWN = [
  "name",
  "batchSize",
  "batchTimeout",
  "maxConcurrency",
  "maxRetries",
  "retryDelay",
  "timeout",
  "deadLetterQueue",
  "consume",
];
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const LONGEST_DELAY_MS = 43_200_000;
const LONGEST_TIMEOUT_MS = 43_200_000;
/** What a consumer has on Cloudflare. */
const DEFAULT_TIMEOUT_MS = 900_000;

/**
 * Defines a queue of the application's own.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function defineQueue(options: QueueOptions): QueueDefinition {
  const problems = new OptionProblems();
  const given = problems.object(options, "queue", KNOWN);
  const integer = (name: string, fallback: number, min: number, max: number): number =>
    problems.integer(given[name], `queue.${name}`, fallback, { min, max });
  const definition: QueueDefinition = {
    name: readName(problems, given["name"], "queue.name"),
    batchSize: integer("batchSize", 10, 1, 100),
    batchTimeoutMs: readDuration(problems, given["batchTimeout"], "queue.batchTimeout", 5000, { maxMs: 60_000 }),
    maxConcurrency: integer("maxConcurrency", 1, 1, 250),
    maxRetries: integer("maxRetries", 3, 0, 100),
    retryDelayMs: readDuration(problems, given["retryDelay"], "queue.retryDelay", 0, { maxMs: LONGEST_DELAY_MS }),
    timeoutMs: readDuration(problems, given["timeout"], "queue.timeout", DEFAULT_TIMEOUT_MS, {
      minMs: 1,
      maxMs: LONGEST_TIMEOUT_MS,
    }),
    deadLetterQueue:
      given["deadLetterQueue"] === undefined
        ? null
        : readName(problems, given["deadLetterQueue"], "queue.deadLetterQueue"),
    consume: (batch, ctx) => options.consume(batch, ctx),
  };
  if (definition.deadLetterQueue !== null && definition.deadLetterQueue === definition.name) {
    problems.add("queue.deadLetterQueue", "must be another queue");
  }
  problems.function(given["consume"], "queue.consume");
  problems.throwConfiguration();
  return Object.freeze(definition);
}

function readName(problems: OptionProblems, value: unknown, path: string): string {
  if (typeof value === "string" && NAME.test(value)) return value;
  problems.add(path, "must be 1 to 63 lower-case letters, digits and hyphens");
  return "";
}

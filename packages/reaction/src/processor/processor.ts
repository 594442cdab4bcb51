/** The processor: where events go in and messages come back. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { assertWorkerCtx } from "../context/assert-worker-ctx.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import type { ReactionEvent } from "../definition/define-event.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { AnalyticsStore } from "../seam/analytics-store.ts";
import type { QueueBatch } from "../seam/message-queue.ts";
import type { EmitResult, PendingEmitResult } from "./emit-result.ts";
import { Emitter } from "./emitter.ts";
import { EventConsumer } from "./event-consumer.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { Sweeper, type SweepResult } from "./sweeper.ts";

/** See the file header. */
export class Processor<Tx = unknown> {
  readonly #emitter: Emitter<Tx>;
  readonly #consumer: EventConsumer;
  readonly #sweeper: Sweeper;

  constructor(parts: ProcessorParts<Tx>, analytics: AnalyticsStore | null) {
    this.#emitter = new Emitter(parts);
    this.#consumer = new EventConsumer(parts);
    this.#sweeper = new Sweeper(parts, analytics);
  }

  /**
   * Emits an event: stores it with the commands that its policies want, runs the sync ones here, and hands the others to
   * `async-policy-task`. What stores, queues and handlers throw ends up in the result; being `accepted` says nothing about
   * a command, so look at `result.commands` where one must have succeeded.
   *
   * With `tx` the event joins the caller's transaction: one try, the store's errors are thrown, and everything after the
   * write waits for `result.settle()`.
   *
   * @throws ValidationError for a bad context, event, option or input; whatever a policy throws.
   */
  emit(ctx: WorkerCtx, event: ReactionEvent, options: { readonly tx: Tx }): Promise<PendingEmitResult>;
  emit(ctx: WorkerCtx, event: ReactionEvent, options?: { readonly tx?: undefined }): Promise<EmitResult>;
  async emit(
    ctx: WorkerCtx,
    event: ReactionEvent,
    options: { readonly tx?: Tx | undefined } = {},
  ): Promise<EmitResult> {
    assertWorkerCtx(ctx);
    const problems = new OptionProblems();
    const { tx } = problems.object(options, "options", ["tx"]) as { readonly tx?: Tx | undefined };
    if (tx === null) problems.add("options.tx", "must be a transaction; leave it out where there is none");
    problems.throwValidation();
    return tx === undefined ? this.#emitter.emit(ctx, event) : this.#emitter.emitIn(ctx, event, tx);
  }

  /** Works a batch of `async-policy-task`. @throws ValidationError for what is no batch or no context, and nothing else. */
  async consume(batch: QueueBatch, ctx: WorkerCtx): Promise<void> {
    assertWorkerCtx(ctx);
    if (!Array.isArray((batch as QueueBatch | null | undefined)?.messages)) {
      throw new ValidationError("batch must be a batch of messages, as a home hands it to consumers");
    }
    for (const message of batch.messages) await this.#consumer.consume(ctx, batch.queue, message);
  }

  /**
   * One pass of the sweeper: sends for events that are overdue, deletes what retention says. Call it about once a minute;
   * any number of processes may.
   *
   * @throws ValidationError for what is no context, and nothing else.
   */
  async sweep(ctx: WorkerCtx): Promise<SweepResult> {
    assertWorkerCtx(ctx);
    return this.#sweeper.sweep(ctx);
  }
}

/** Works one message of `async-policy-task`: runs what is left of the event it names. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { backOffMs } from "../kit/back-off.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { QueueMessage } from "../seam/message-queue.ts";
import type { OpenedEvent } from "../seam/reaction-store.ts";
import type { AlertInput } from "./alert-raiser.ts";
import { CommandRunner, type HeldLease } from "./command-runner.ts";
import { Delivery } from "./delivery.ts";
import { policyTask, readPolicyTask } from "./policy-task.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { inRunOrder, isLeased, openCommands } from "./run-order.ts";

/** See the file header. */
export class EventConsumer {
  readonly #parts: ProcessorParts;
  readonly #runner: CommandRunner;

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
    this.#runner = new CommandRunner(parts);
  }

  /** Marks the message. Never rejects. */
  async consume(ctx: WorkerCtx, queue: string, message: QueueMessage): Promise<void> {
    const eventId = readPolicyTask(message.body);
    const alert = (input: Omit<AlertInput, "queue" | "severity">): Promise<void> =>
      this.#parts.alerts.raise(ctx, { ...input, severity: "high", queue, messageId: message.id });
    if (eventId === null) {
      await alert({
        code: "malformed_message",
        message: "a message names no event; it is acknowledged and runs nothing",
      });
      return message.ack();
    }
    const { settings } = this.#parts;
    const isFinal = message.attempts >= settings.deliveries;
    try {
      const takenAt = this.#parts.timing.monotonic();
      const opened = await this.#open(eventId);
      if (opened === null) {
        await alert({ code: "unknown_event", message: "a message names an event that does not exist", eventId });
        return message.ack();
      }
      const delivery = new Delivery(this.#parts, opened, message.attempts);
      const held = opened.leased && { leased: opened.leased, takenAt };
      await this.#runAll(ctx, delivery, message.id, held);
      if (isFinal && delivery.hasFailed) await alert(exhausted(eventId, message.attempts));
      await this.#mark(delivery, message, isFinal);
    } catch (error) {
      ctx.logger.error({ error, eventId, messageId: message.id }, "a delivery failed");
      if (isFinal) {
        await alert(exhausted(eventId, message.attempts));
        return message.ack();
      }
      const delayMs = backOffMs(settings.retry, message.attempts);
      await this.#postpone(ctx, eventId, delayMs);
      message.retry({ delay: { milliseconds: delayMs } });
    }
  }

  /** So that the sweeper does not send beside a message that comes back. It may, though: that is only one more. */
  async #postpone(ctx: WorkerCtx, eventId: string, delayMs: number): Promise<void> {
    const { store, settings } = this.#parts;
    try {
      await store.postponeSweep(eventId, delayMs + settings.sweepAfterMs);
    } catch (error) {
      ctx.logger.warn({ error, eventId }, "the sweep of an event could not be put off");
    }
  }

  /** Reads it and begins with its first command in one round trip, where that is known here and can be run as it is. */
  #open(eventId: string): Promise<OpenedEvent | null> {
    const { store, owner, settings, registry } = this.#parts;
    const { leaseMs, sweepAfterMs } = settings;
    return store.openEvent({ eventId, owner, names: registry.names, leaseMs, sweepInMs: leaseMs + sweepAfterMs });
  }

  /** Not past a command that somebody else runs: what is declared after it begins after it. */
  async #runAll(ctx: WorkerCtx, delivery: Delivery, messageId: string, held: HeldLease | null): Promise<void> {
    for (const { id } of inRunOrder(delivery.stored.commands)) {
      const execution = delivery.get(id);
      if (openCommands([execution]).length === 0) continue;
      if (isLeased(execution, delivery.stored.now)) delivery.noteLease(execution);
      else await this.#runOne(ctx, delivery, execution, { messageId, held });
      if (delivery.isElsewhere) return;
    }
  }

  async #runOne(
    ctx: WorkerCtx,
    delivery: Delivery,
    execution: CommandExecution,
    { messageId, held }: { readonly messageId: string; readonly held: HeldLease | null },
  ): Promise<void> {
    const { registry, alerts } = this.#parts;
    const command = await registry.find(execution.name, delivery.stored.event, ctx.logger);
    if (command === undefined) {
      delivery.noteFailure(null);
      return alerts.raise(ctx, {
        severity: "high",
        code: "unknown_command",
        message: `no policy knows command ${execution.name}`,
        eventId: execution.eventId,
        commandId: execution.id,
      });
    }
    if (!delivery.begin(this.#runner.timeoutMs(command))) return;
    const progress = await this.#runner.run(ctx, {
      command,
      execution,
      ...(held?.leased.id === execution.id && { held }),
      siblings: delivery.commands,
      attempts: delivery.attemptsFor(execution),
      isFinal: delivery.isFinal,
      send: false,
      messageId,
      tries: Infinity,
      until: delivery.until,
      storeUntil: delivery.storeUntil,
    });
    delivery.note(progress.execution);
    if (progress.elsewhere) delivery.noteLease(progress.execution);
    if (progress.failedHere) delivery.noteFailure(progress.retryInMs);
  }

  async #mark(delivery: Delivery, message: QueueMessage, isFinal: boolean): Promise<void> {
    const { queue, store, settings } = this.#parts;
    const left = openCommands(delivery.commands);
    if (left.length > 0 && delivery.cutShort && !delivery.hasFailed) {
      // The time of one delivery is up: the rest gets a message of its own, with deliveries of its own.
      await queue.send([{ body: policyTask(delivery.stored.event.id) }]);
      return message.ack();
    }
    if (left.length === 0 || isFinal) return message.ack();
    const { retryInMs } = delivery;
    // Each command that failed has put the sweep behind its own pause, which may be shorter than this one.
    await store.postponeSweep(delivery.stored.event.id, retryInMs + settings.sweepAfterMs);
    message.retry({ delay: { milliseconds: retryInMs } });
  }
}

function exhausted(eventId: string, attempts: number): Omit<AlertInput, "queue" | "severity"> {
  return {
    code: "delivery_exhausted",
    message: `delivery ${attempts}, the last one, has failed; the records are left for inspection`,
    eventId,
  };
}

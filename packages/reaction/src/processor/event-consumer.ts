/** Works one message of `async-policy-task`: runs what is left of the event it names. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { backOffMs } from "../kit/back-off.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { QueueMessage } from "../seam/message-queue.ts";
import type { StoredEvent } from "../seam/reaction-store.ts";
import type { AlertInput } from "./alert-raiser.ts";
import { CommandRunner } from "./command-runner.ts";
import { policyTask, readPolicyTask } from "./policy-task.ts";
import type { ProcessorParts } from "./processor-parts.ts";
import { inRunOrder, isLeased, openCommands } from "./run-order.ts";

/** After a lease has run out by the store's clock. */
const LEASE_MARGIN_MS = 1000;

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
      const stored = await this.#parts.store.readEvent(eventId);
      if (stored === null) {
        await alert({ code: "unknown_event", message: "a message names an event that does not exist", eventId });
        return message.ack();
      }
      const delivery = new Delivery(this.#parts, stored, message.attempts);
      await this.#runAll(ctx, delivery, message.id);
      if (isFinal && delivery.hasFailed) await alert(exhausted(eventId, message.attempts));
      await this.#mark(delivery, message, isFinal);
    } catch (error) {
      ctx.logger.error({ error, eventId, messageId: message.id }, "a delivery failed");
      if (isFinal) {
        await alert(exhausted(eventId, message.attempts));
        return message.ack();
      }
      message.retry({ delay: { milliseconds: backOffMs(settings.retry, message.attempts) } });
    }
  }

  async #runAll(ctx: WorkerCtx, delivery: Delivery, messageId: string): Promise<void> {
    for (const { id } of inRunOrder(delivery.stored.commands)) {
      const execution = delivery.get(id);
      if (openCommands([execution]).length === 0) continue;
      if (isLeased(execution, delivery.stored.now)) delivery.noteLease(execution);
      else await this.#runOne(ctx, delivery, execution, messageId);
    }
  }

  async #runOne(ctx: WorkerCtx, delivery: Delivery, execution: CommandExecution, messageId: string): Promise<void> {
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
      siblings: delivery.commands,
      attempts: delivery.attemptsFor(execution),
      isFinal: delivery.isFinal,
      send: false,
      messageId,
      tries: Infinity,
      until: delivery.until,
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

/** One delivery of one message. */
class Delivery {
  readonly stored: StoredEvent;
  readonly isFinal: boolean;
  /** Monotonic time at which the delivery is over. */
  readonly until: number;
  readonly #parts: ProcessorParts;
  readonly #left: number;
  readonly #byId: Map<string, CommandExecution>;
  readonly #delays: number[] = [];
  #failed = false;
  #leasedMs: number | null = null;
  #begun = false;
  #cutShort = false;

  constructor(parts: ProcessorParts, stored: StoredEvent, attempts: number) {
    this.#parts = parts;
    this.stored = stored;
    this.#left = Math.max(1, parts.settings.deliveries - attempts + 1);
    this.isFinal = this.#left === 1;
    this.until = parts.timing.monotonic() + parts.settings.leaseMs;
    this.#byId = new Map(stored.commands.map((command) => [command.id, command]));
  }

  get commands(): readonly CommandExecution[] {
    return [...this.#byId.values()];
  }

  get(id: string): CommandExecution {
    return this.#byId.get(id) as CommandExecution;
  }

  note(execution: CommandExecution): void {
    this.#byId.set(execution.id, execution);
  }

  /** Somebody else has it. */
  noteLease({ lease }: CommandExecution): void {
    const ms =
      lease === null ? this.#parts.settings.retry.firstMs : lease.expiresAt.getTime() - this.stored.now.getTime();
    this.#leasedMs = Math.min(this.#leasedMs ?? Infinity, ms);
  }

  noteFailure(retryInMs: number | null): void {
    this.#failed = true;
    if (retryInMs !== null) this.#delays.push(retryInMs);
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  /** Milliseconds until the next delivery. */
  get retryInMs(): number {
    if (this.#delays.length > 0) return Math.max(...this.#delays);
    if (this.#leasedMs !== null) return Math.max(0, this.#leasedMs) + LEASE_MARGIN_MS;
    return backOffMs(this.#parts.settings.retry, this.#parts.settings.deliveries - this.#left + 1);
  }

  /** Attempts to make in this delivery, so that all are made by the last one. */
  attemptsFor({ attempt, maxAttempts }: CommandExecution): number {
    return Math.max(1, Math.ceil((maxAttempts - attempt) / this.#left));
  }

  /** Whether an attempt that takes `timeoutMs` at most may still begin: not when it might outlast the delivery, unless it is the first. */
  begin(timeoutMs: number): boolean {
    const fits = !this.#begun || this.#parts.timing.monotonic() + timeoutMs <= this.until;
    this.#begun = true;
    this.#cutShort ||= !fits;
    return fits;
  }

  /** Something was not begun because the delivery would have lasted too long. */
  get cutShort(): boolean {
    return this.#cutShort;
  }
}

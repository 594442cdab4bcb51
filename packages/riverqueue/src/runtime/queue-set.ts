/**
 * The queues of one runtime: adds, removes and changes them, and starts and stops all. Changes of one queue happen one
 * after another; those of different queues do not wait for each other.
 */
import type { QueueConfig } from "../api/queue-config.ts";
import type { QueueRuntimeDiagnostics } from "../api/run-handle.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { LifecycleError } from "../model/errors/lifecycle-error.ts";
import { queueRowOf } from "../model/queue-row-view.ts";
import type { QueueRecord } from "../model/queue-row.ts";
import { durationOfMs } from "../options/duration-input.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { ambientAttempt } from "../work/current-work-context.ts";
import type { QueueProducer } from "./queue-producer.ts";
import { normalizeQueueConfig } from "./queue-settings.ts";
import type { RuntimeParts } from "./runtime-parts.ts";
import type { QueueSettings } from "./runtime-settings.ts";

/** Longest time to store and read a queue's row when it is added, in milliseconds. */
const QUEUE_START_TIMEOUT_MS = 10_000;

/** See the file header. */
export class QueueSet<Tx> {
  readonly #parts: RuntimeParts<Tx>;
  /** The latest change of each queue that has one under way; none of them rejects. */
  readonly #changes = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(parts: RuntimeParts<Tx>) {
    this.#parts = parts;
  }

  get producers(): ReadonlyMap<string, QueueProducer<Tx>> {
    return this.#parts.producers;
  }

  get activeAttempts(): number {
    let count = 0;
    for (const producer of this.producers.values()) count += producer.activeAttempts;
    return count;
  }

  /** Resolves when the additions and removals asked for so far are done. */
  get changes(): Promise<unknown> {
    return Promise.all(this.#changes.values());
  }

  /** Stores the rows of all configured queues and adopts their controls; nothing is claimed yet. */
  async prepareAll(): Promise<void> {
    const { settings, logger } = this.#parts;
    // All of them, so that after a failed start no statement is under way any more.
    const prepared = await Promise.allSettled(
      Array.from(settings.queues, ([name, queue]) =>
        this.#prepare(name, queue).catch((error: unknown) => {
          logger.error({ queue: name, error }, "the row of a queue cannot be stored, so the client does not start");
          throw error;
        }),
      ),
    );
    const failed = prepared.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  startAll(): void {
    for (const producer of this.producers.values()) producer.start();
  }

  stopClaimingAll(): void {
    this.#closed = true;
    for (const producer of this.producers.values()) producer.stopClaiming();
  }

  /** Whether the calling code belongs to an attempt that is under way here. */
  get isWorkingCaller(): boolean {
    const attempt = ambientAttempt();
    return Array.from(this.producers.values()).some((producer) => producer.isWorking(attempt));
  }

  interruptAll(): void {
    for (const producer of this.producers.values()) producer.interrupt();
  }

  async drainAll(): Promise<void> {
    await this.changes;
    await Promise.all(Array.from(this.producers.values(), (producer) => producer.drain()));
  }

  /** Running jobs by kind, for saying what a stop waits for. */
  runningKinds(): Record<string, number> {
    const kinds: Record<string, number> = {};
    for (const producer of this.producers.values()) {
      for (const kind of producer.activeKinds()) kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return kinds;
  }

  async add(name: string, config: QueueConfig): Promise<void> {
    const settings = this.#resolve(name, config);
    return this.#serially(name, async () => {
      this.#requireOpen();
      if (this.producers.has(name)) throw new ConfigurationError(`queue "${name}" is already worked by this client`);
      const { producer, row } = await this.#prepare(name, settings);
      const { producers, controls, hub, environment } = this.#parts;
      if (this.#closed) producers.delete(name);
      this.#requireOpen();
      producer.start();
      // A pause that came after the row was read may have been announced before anybody knew of this queue.
      controls.pollNow();
      hub.emit({ at: environment.clock.now(), kind: "queue_added", queue: queueRowOf(row) });
    });
  }

  /**
   * A removal that was asked for before a stop is finished by it.
   *
   * @throws LifecycleError once a stop has begun, and inside an attempt of the queue, which would wait for itself.
   */
  async remove(name: string): Promise<boolean> {
    this.#requireOpen();
    if (this.producers.get(name)?.isWorking(ambientAttempt())) {
      throw new LifecycleError(
        `queue "${name}" cannot be removed from inside one of its jobs, which it would wait for`,
      );
    }
    return this.#serially(name, async () => {
      const { producers, controls, hub, environment } = this.#parts;
      const producer = producers.get(name);
      if (!producer) return false;
      await producer.drain();
      producers.delete(name);
      controls.forget(name);
      hub.emit({ at: environment.clock.now(), kind: "queue_removed", queueName: name });
      return true;
    });
  }

  async update(name: string, config: QueueConfig): Promise<void> {
    const settings = this.#resolve(name, config);
    return this.#serially(name, async () => {
      this.#requireOpen();
      const { producers, facets, hub, environment } = this.#parts;
      const producer = producers.get(name);
      if (!producer) throw new ConfigurationError(`queue "${name}" is not worked by this client`);
      const call = { now: environment.databaseNow?.(), timeoutMs: QUEUE_START_TIMEOUT_MS };
      const row = await facets.queues.keepAlive({ name }, call);
      producer.reconfigure(settings);
      hub.emit({ at: environment.clock.now(), kind: "queue_reconfigured", queue: queueRowOf(row) });
    });
  }

  diagnostics(): Record<string, QueueRuntimeDiagnostics> {
    const diagnostics: Record<string, QueueRuntimeDiagnostics> = {};
    for (const [name, { settings, paused }] of this.producers) {
      diagnostics[name] = {
        fetchCooldown: durationOfMs(settings.fetchCooldownMs),
        maxWorkers: settings.maxWorkers,
        paused,
        pollInterval: durationOfMs(settings.pollIntervalMs),
      };
    }
    return diagnostics;
  }

  async #prepare(name: string, settings: QueueSettings): Promise<{ producer: QueueProducer<Tx>; row: QueueRecord }> {
    const { facets, environment, controls, producers } = this.#parts;
    const call = { now: environment.databaseNow?.(), timeoutMs: QUEUE_START_TIMEOUT_MS };
    const row = await facets.queues.keepAlive({ name }, call);
    const producer = this.#parts.makeProducer(name, settings);
    controls.adopt(producer, row);
    producers.set(name, producer);
    return { producer, row };
  }

  #resolve(name: string, config: QueueConfig): QueueSettings {
    const problems = new OptionProblems();
    const settings = normalizeQueueConfig(
      name,
      config,
      `queue "${name}"`,
      this.#parts.settings.fetchCooldownMs,
      problems,
    );
    problems.throwConfiguration();
    return settings;
  }

  #requireOpen(): void {
    if (this.#closed) throw new LifecycleError("the client is stopping or has stopped: its queues stay as they are");
  }

  #serially<T>(name: string, operation: () => Promise<T>): Promise<T> {
    const result = (this.#changes.get(name) ?? Promise.resolve()).then(operation);
    const change = result
      .catch(() => {})
      .then(() => {
        if (this.#changes.get(name) === change) this.#changes.delete(name);
      });
    this.#changes.set(name, change);
    return result;
  }
}

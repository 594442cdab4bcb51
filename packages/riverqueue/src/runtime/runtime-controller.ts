/**
 * Supervises a started client: starts its parts, stops them in order, and does the same when one of them breaks. Owns
 * the run state and the one shutdown. The parts do the work; this room only says when.
 */
import type { RunDiagnostics, RunState, StopOptions } from "../api/run-handle.ts";
import type { QueueConfig } from "../api/queue-config.ts";
import { deferred } from "../kit/deferred.ts";
import { pause } from "../kit/clock.ts";
import type { LogAttributes } from "../kit/logger.ts";
import type { RuntimeParts } from "./runtime-parts.ts";
import { QueueSet } from "./queue-set.ts";
import type { ResolvedStop } from "./stop-options.ts";
import { resolveStopOptions } from "./stop-options.ts";

/** How often a stopping client says what it waits for, in milliseconds. */
const STOP_REPORT_MS = 5_000;
/** Any long interval will do: the timer exists to keep the process alive. */
const LIVENESS_MS = 2_147_483_647;

/** See the file header. */
export class RuntimeController<Tx> {
  readonly #parts: RuntimeParts<Tx>;
  readonly #queues: QueueSet<Tx>;
  readonly #completed = deferred<void>();
  readonly #drained = new AbortController();
  readonly #ended = new AbortController();
  /** What the shutdown is waiting for. */
  #stage = "queues";
  #state: RunState = "running";
  /** Whether start-up is over; a failure before that is the failure of the start. */
  #started = false;
  #failure: { readonly error: unknown } | null = null;
  #shutdown: Promise<void> | null = null;
  #liveness: NodeJS.Timeout | null = null;

  constructor(parts: RuntimeParts<Tx>) {
    this.#parts = parts;
    this.#queues = new QueueSet(parts);
    parts.onFailure((error) => this.fail(error));
  }

  /** Settles when all clean-up is done: resolves after a stop, rejects after a failure. */
  get completed(): Promise<void> {
    return this.#completed.promise;
  }

  get state(): RunState {
    return this.#state;
  }

  get diagnostics(): RunDiagnostics {
    const { settings, pipeline, loopDelay, leadership } = this.#parts;
    return {
      activeAttempts: this.#queues.activeAttempts,
      clientId: settings.clientId,
      completionCapacity: pipeline.capacity,
      completionQueries: pipeline.statements,
      eventLoopDelay: loopDelay?.latest ?? null,
      executors: this.#parts.executorDiagnostics(),
      maintenance: leadership?.diagnostics ?? null,
      pendingCompletions: pipeline.pending,
      queues: this.#queues.diagnostics(),
      state: this.#state,
    };
  }

  /**
   * Starts everything: first the notification stream, so that no notice after the first claim is missed, then the rows
   * of all queues, and only when all that succeeded the claims. Undoes what it started when it fails.
   */
  async start(): Promise<void> {
    const { pump, leadership, controls, heartbeat, loopDelay, fleet, logger, settings } = this.#parts;
    try {
      await pump?.start();
      await this.#queues.prepareAll();
      if (this.#failure) throw this.#failure.error;
    } catch (error) {
      await pump?.stop();
      await this.#parts.session.close();
      throw error;
    }
    this.#started = true;
    this.#liveness = setInterval(() => {}, LIVENESS_MS);
    loopDelay?.start();
    leadership?.start();
    controls.start();
    heartbeat.start();
    this.#queues.startAll();
    fleet?.start(() => this.diagnostics);
    const queues = [...settings.queues.keys()];
    logger.info({ clientId: settings.clientId, queues, ...sharing(this.#parts) }, "client started");
  }

  addQueue(name: string, config: QueueConfig): Promise<void> {
    return this.#queues.add(name, config);
  }

  removeQueue(name: string): Promise<boolean> {
    return this.#queues.remove(name);
  }

  updateQueue(name: string, config: QueueConfig): Promise<void> {
    return this.#queues.update(name, config);
  }

  /** A queue may have work: claim from it as soon as its cool-down allows. */
  wake(queue: string): void {
    this.#queues.producers.get(queue)?.wake();
  }

  /**
   * Joins or begins the shutdown; resolves when it has finished, also after a failure. Inside an attempt or
   * an `onEvent` hook of this client, for which the shutdown waits, it resolves at once.
   */
  async stop(options?: StopOptions): Promise<void> {
    const resolved = resolveStopOptions(options);
    this.#beginShutdown();
    this.#escalate(resolved);
    if (!this.#queues.isWorkingCaller && !this.#parts.hub.isHookCaller) await this.#shutdown;
  }

  /** An internal part broke: shuts down in the same way, and `completed` rejects with the cause. */
  fail(error: unknown): void {
    if (this.#failure || this.#state === "stopped" || this.#state === "failed") return;
    this.#failure = { error };
    if (!this.#started) return;
    this.#parts.logger.error({ error }, "the runtime failed; shutting down");
    this.#beginShutdown();
  }

  /** Known to be under way before anybody is told of it, who may ask for it as well. */
  #beginShutdown(): void {
    if (this.#shutdown !== null) return;
    const begun = deferred<void>();
    this.#shutdown = begun.promise;
    this.#finishStop().then(
      () => begun.resolve(),
      (error: unknown) => begun.reject(error),
    );
  }

  #escalate({ mode, timeoutMs, signal }: ResolvedStop): void {
    const cancel = (): void => this.#queues.interruptAll();
    if (timeoutMs !== null) this.#parts.pipeline.limitTries(timeoutMs);
    if (mode === "cancel" || signal?.aborted) return cancel();
    const drained = this.#drained.signal;
    signal?.addEventListener("abort", cancel, { once: true, signal: drained });
    if (timeoutMs === null) return;
    void pause(this.#parts.environment.clock, timeoutMs, drained).then(() => {
      if (!drained.aborted) cancel();
    });
  }

  async #finishStop(): Promise<void> {
    const { leadership, controls, heartbeat, pump, pipeline, fleet, hub, loopDelay, session } = this.#parts;
    this.#state = "stopping";
    this.#queues.stopClaimingAll();
    pipeline.stopping();
    void this.#reportWaiting();
    this.#enter("leadership and maintenance");
    const resigned = leadership?.stop();
    this.#enter("queues");
    await this.#queues.drainAll();
    this.#drained.abort();
    this.#parts.runner.close();
    this.#enter("cancellation polling");
    const controlled = controls.stop();
    this.#enter("background tasks");
    await Promise.all([resigned, controlled, this.#queues.changes]);
    this.#enter("run-lifetime services");
    await Promise.all([pump?.stop(), heartbeat.stop()]);
    this.#enter("completions");
    await pipeline.drain();
    await fleet?.stop();
    await session.close();
    this.#enter("events");
    await hub.close();
    this.#enter("event-loop delay");
    loopDelay?.stop();
    this.#enter("liveness");
    if (this.#liveness) clearInterval(this.#liveness);
    this.#enter("completed");
    this.#ended.abort();
    this.#settle();
  }

  #enter(stage: string): void {
    this.#stage = stage;
    this.#parts.environment.probe(`stop: ${stage}`);
  }

  #settle(): void {
    this.#state = this.#failure ? "failed" : "stopped";
    this.#parts.logger.info({ clientId: this.#parts.settings.clientId }, "client stopped");
    if (this.#failure) this.#completed.reject(this.#failure.error);
    else this.#completed.resolve();
  }

  async #reportWaiting(): Promise<void> {
    const { environment, logger } = this.#parts;
    const ended = this.#ended.signal;
    for (;;) {
      await pause(environment.clock, STOP_REPORT_MS, ended);
      if (ended.aborted) return;
      const stage = this.#stage;
      if (stage !== "queues") logger.info({ stage }, `stopping: waiting for ${stage}`);
      else logger.info({ stage, running: this.#queues.runningKinds() }, "stopping: waiting for running jobs");
    }
  }
}

/** Compared with the number of handlers, this says how many of them may wait for a connection of the application's pool. */
function sharing<Tx>({ session: { connections }, settings }: RuntimeParts<Tx>): LogAttributes {
  if (connections === undefined) return {};
  const workers = Array.from(settings.queues.values(), ({ maxWorkers }) => maxWorkers);
  return { connections, workers: workers.reduce((sum, each) => sum + each, 0) };
}

/** Builds the parts of a runtime, wires them together and starts them. */
import type { DriverSession, RuntimeDriver } from "../driver/driver.ts";
import type { Backend } from "../driver/traits.ts";
import { Fleet, type FleetDependencies } from "../fleet/fleet.ts";
import type { JsonObject } from "../json/json-value.ts";
import { Leadership } from "../maintenance/leadership.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { AttemptRunner } from "../runtime/attempt-runner.ts";
import { CompletionPipeline } from "../runtime/completion-pipeline.ts";
import { ControlPoller } from "../runtime/control-poller.ts";
import { EventLoopDelayMonitor } from "../runtime/event-loop-delay-monitor.ts";
import { NotificationPump } from "../runtime/notification-pump.ts";
import { QueueHeartbeat } from "../runtime/queue-heartbeat.ts";
import { QueueProducer } from "../runtime/queue-producer.ts";
import { RuntimeController } from "../runtime/runtime-controller.ts";
import type { RuntimeParts } from "../runtime/runtime-parts.ts";
import type { ClientCore } from "./client-core.ts";
import { stuckPolicyOf } from "./stuck-policy.ts";

/** Starts a client's runtime; see `Client.start` for what it throws. */
export async function startRuntime<Tx>(
  core: ClientCore<Tx>,
  driver: RuntimeDriver<Tx>,
): Promise<RuntimeController<Tx>> {
  const { runtime, workers } = core.settings;
  if (runtime.queues.size === 0) throw new ConfigurationError("queues must name at least one queue to start working");
  if (workers.size === 0) throw new ConfigurationError("workers must have at least one worker to start working");
  const wantsNotices = driver.traits.listens && !runtime.pollOnly;
  const session = await driver.openSession({ listens: wantsNotices, leads: !runtime.leaderElectionDisabled });
  // Only now it is known what the server can do.
  const listens = wantsNotices && driver.traits.listens;
  const controller = new RuntimeController(assemble(core, driver, session, listens));
  await controller.start();
  return controller;
}

function assemble<Tx>(
  core: ClientCore<Tx>,
  driver: RuntimeDriver<Tx>,
  session: DriverSession<Tx>,
  listens: boolean,
): RuntimeParts<Tx> {
  const { settings, environment, hub } = core;
  const { runtime, logger } = settings;
  const { clientId } = runtime;
  let fail: ((error: unknown) => void) | null = null;
  const shared = { clientId, facets: session, environment, logger, hub, onFailure: (error: unknown) => fail?.(error) };
  const producers: RuntimeParts<Tx>["producers"] = new Map();
  const pipeline = new CompletionPipeline<Tx>({
    ...shared,
    settings: runtime.completion,
    onDueLater: (queue, at) => producers.get(queue)?.wakeAt(at),
  });
  const controls = new ControlPoller<Tx>({ ...shared, producers, intervalMs: runtime.queueControlPollIntervalMs });
  const leadership = runtime.leaderElectionDisabled ? null : makeLeadership(core, driver, session, shared.onFailure);
  const runner = makeRunner(core, session, producers, driver.backend);
  const kinds = runtime.fetchOnlyKnownKinds ? settings.workers.kinds() : null;
  const pump = new NotificationPump<Tx>({
    ...shared,
    receivers: {
      onInsert: (queue) => producers.get(queue)?.wake(),
      onCancel: (queue, jobId) => {
        const producer = producers.get(queue);
        if (producer) controls.cancelNoticed(producer, jobId);
      },
      onControl: () => controls.pollNow(),
      onLeadership: (notice) => leadership?.onNotice(notice),
      onRestored: () => {
        for (const producer of producers.values()) producer.wake();
        controls.pollNow();
        leadership?.onStreamRestored();
      },
    },
  });
  return {
    ...shared,
    settings: runtime,
    session,
    runner,
    pipeline,
    controls,
    leadership,
    producers,
    pump: listens ? pump : null,
    heartbeat: new QueueHeartbeat<Tx>({
      ...shared,
      intervalMs: runtime.queueHeartbeatIntervalMs,
      queues: () => producers.keys(),
    }),
    loopDelay: settings.eventLoopDelay && new EventLoopDelayMonitor({ ...shared, settings: settings.eventLoopDelay }),
    fleet: settings.fleet && new Fleet<Tx>({ ...shared, ...fleetParts(core, driver), settings: settings.fleet }),
    makeProducer: (queue, queueSettings) =>
      new QueueProducer<Tx>({
        ...shared,
        queue,
        settings: queueSettings,
        noticeIntervalMs: runtime.fetchCooldownMs,
        kinds,
        runner,
        pipeline,
        confirmCancel: (producer, jobId) => controls.confirmCancel(producer, jobId),
      }),
    executorDiagnostics: () => executorDiagnostics(core),
    onFailure: (listener) => {
      fail = listener;
    },
  };
}

function fleetParts<Tx>(
  { hub }: ClientCore<Tx>,
  { backend }: RuntimeDriver<Tx>,
): Pick<FleetDependencies<Tx>, "backend" | "countWith"> {
  const countWith: FleetDependencies<Tx>["countWith"] = (tally) => {
    hub.tally = tally;
  };
  return { backend, countWith };
}

function makeRunner<Tx>(
  { client, settings, environment, hub }: ClientCore<Tx>,
  facets: DriverSession<Tx>,
  producers: RuntimeParts<Tx>["producers"],
  backend: Backend,
): AttemptRunner<Tx> {
  const { runtime, ...rest } = settings;
  return new AttemptRunner<Tx>({
    ...rest,
    backend,
    client,
    clientId: runtime.clientId,
    facets,
    environment,
    hub,
    releaseSlot: (attempt) => producers.get(attempt.record.queue)?.releaseSlot(attempt),
  });
}

function makeLeadership<Tx>(
  { settings, environment, hub, limiter, inserter, registry }: ClientCore<Tx>,
  { traits }: RuntimeDriver<Tx>,
  facets: DriverSession<Tx>,
  onFailure: (error: unknown) => void,
): Leadership<Tx> {
  return new Leadership<Tx>({
    facets,
    traits,
    clientId: settings.runtime.clientId,
    settings: settings.maintenance,
    environment,
    logger: settings.logger,
    emit: (event) => hub.emit(event),
    limiter,
    stuckPolicy: stuckPolicyOf(settings, environment),
    periodicJobs: registry,
    inserter,
    extensions: settings.extensions,
    onFailure,
  });
}

function executorDiagnostics<Tx>({ settings }: ClientCore<Tx>): Record<string, JsonObject> {
  const diagnostics: Record<string, JsonObject> = {};
  for (const executor of settings.workers.executors()) {
    if (executor.diagnostics) diagnostics[executor.name] = executor.diagnostics();
  }
  return diagnostics;
}

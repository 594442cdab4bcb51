/** The parts of one runtime, wired together by the client room and supervised by the controller. */
import type { DriverFacets, DriverSession } from "../driver/driver.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Leadership } from "../maintenance/leadership.ts";
import type { AttemptRunner } from "./attempt-runner.ts";
import type { CompletionPipeline } from "./completion-pipeline.ts";
import type { ControlPoller } from "./control-poller.ts";
import type { EventHub } from "./event-hub.ts";
import type { EventLoopDelayMonitor } from "./event-loop-delay-monitor.ts";
import type { NotificationPump } from "./notification-pump.ts";
import type { QueueHeartbeat } from "./queue-heartbeat.ts";
import type { QueueProducer } from "./queue-producer.ts";
import type { QueueSettings, RuntimeSettings } from "./runtime-settings.ts";

/** See the file header. Absent parts are switched off by the settings. */
export interface RuntimeParts<Tx> {
  readonly settings: RuntimeSettings;
  readonly session: DriverSession<Tx>;
  /** The session's verbs. */
  readonly facets: DriverFacets<Tx>;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly hub: EventHub;
  readonly runner: AttemptRunner<Tx>;
  readonly pipeline: CompletionPipeline<Tx>;
  readonly controls: ControlPoller<Tx>;
  readonly heartbeat: QueueHeartbeat<Tx>;
  readonly pump: NotificationPump<Tx> | null;
  readonly leadership: Leadership<Tx> | null;
  readonly loopDelay: EventLoopDelayMonitor | null;
  readonly fleet: Fleet<Tx> | null;
  /** Producers by queue; the queue set adds and removes, other parts look up. */
  readonly producers: Map<string, QueueProducer<Tx>>;
  readonly makeProducer: (queue: string, settings: QueueSettings) => QueueProducer<Tx>;
  readonly executorDiagnostics: () => Readonly<Record<string, JsonObject>>;
  /** Names who is told about failures that no retry can mend. */
  readonly onFailure: (listener: (error: unknown) => void) => void;
}

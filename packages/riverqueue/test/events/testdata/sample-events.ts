/** Events and a hub for tests that need no client. */
import { ManualClock } from "@riverqueue/internal-test-kit/manual-clock";
import { type LogAttributes, type Logger, silentLogger } from "../../../src/kit/logger.ts";
import type { QueueRemovedEvent } from "../../../src/model/river-event.ts";
import { EventHub, type EventHubParams } from "../../../src/runtime/event-hub.ts";

/** An event that says which of many it is. */
export function removed(queueName: string): QueueRemovedEvent {
  return { kind: "queue_removed", at: Temporal.Instant.from("2026-01-01T00:00:00Z"), queueName };
}

/** A hub with a clock that stands still. */
export function sampleHub(hooks: Partial<EventHubParams["extensions"]> = {}, logger: Logger = silentLogger): EventHub {
  const extensions = { onEvent: [], onMetric: [], ...hooks };
  return new EventHub({ environment: { clock: new ManualClock() }, extensions, logger });
}

/** A logger that keeps its errors. */
export function errorLog(): { readonly logger: Logger; readonly errors: [LogAttributes, string][] } {
  const errors: [LogAttributes, string][] = [];
  return { logger: { ...silentLogger, error: (...entry) => void errors.push(entry) }, errors };
}

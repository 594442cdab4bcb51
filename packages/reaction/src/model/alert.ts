/** What people should hear about. */

/** `high`: somebody has to look. `warning`: worth knowing. */
export type AlertSeverity = "high" | "warning";

/**
 * What an alert is about.
 *
 * - `event_abandoned` (high): `emit` gave up; nothing is stored, or it is stored and not dispatched.
 * - `command_failed` (high): a command has failed for good.
 * - `delivery_exhausted` (high): the last delivery of a message failed.
 * - `result_unwritten` (high): a handler succeeded and its result could not be stored, at least not yet.
 * - `needs_review` (high): a command's effect may have happened; an operator has to decide.
 * - `lease_lost` (warning): a late writer was refused; what a newer owner did stands.
 * - `sweeps_exhausted` (high): an event is still unfinished after ten sweeps.
 * - `malformed_message` (high): a message that this package did not write was on one of its queues.
 * - `unknown_command`, `unknown_event` (high): a record names a command or a message an event that does not exist here.
 * - `unknown_queue` (high): a batch of a queue that no consumer is for.
 * - `message_dropped` (high): a message was given up after its last delivery.
 */
export type AlertCode =
  | "command_failed"
  | "delivery_exhausted"
  | "event_abandoned"
  | "lease_lost"
  | "malformed_message"
  | "message_dropped"
  | "needs_review"
  | "result_unwritten"
  | "sweeps_exhausted"
  | "unknown_command"
  | "unknown_event"
  | "unknown_queue";

/** See the file header. Never holds a payload. */
export interface Alert {
  readonly id: string;
  readonly raisedAt: Date;
  readonly severity: AlertSeverity;
  readonly code: AlertCode;
  readonly message: string;
  readonly eventId: string | null;
  readonly commandId: string | null;
  readonly queue: string | null;
  readonly messageId: string | null;
}

/** Told about every alert, before it is stored. What it throws is logged and changes nothing. */
export type AlertHandler = (alert: Alert) => PromiseLike<void> | void;

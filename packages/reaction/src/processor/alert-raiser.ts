/** Raises alerts: to the application and the log first, then into the store when it can be written. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import type { Timing } from "../kit/timing.ts";
import { within } from "../kit/within.ts";
import { timeOrderedId } from "../kit/time-ordered-id.ts";
import type { Alert, AlertCode, AlertHandler, AlertSeverity } from "../model/alert.ts";
import type { ReactionStore } from "../seam/reaction-store.ts";

/** What an alert says; ids it does not have are null. */
export interface AlertInput {
  readonly severity: AlertSeverity;
  readonly code: AlertCode;
  readonly message: string;
  readonly eventId?: string | undefined;
  readonly commandId?: string | undefined;
  readonly queue?: string | undefined;
  readonly messageId?: string | undefined;
}

/** How long an alert handler, and then the store, is waited for: what goes wrong must not stop what it is said by. */
const PATIENCE_MS = 5000;

/** See the file header. */
export class AlertRaiser {
  readonly #store: Pick<ReactionStore, "recordAlert">;
  readonly #handler: AlertHandler | undefined;
  readonly #timing: Timing;

  constructor(store: Pick<ReactionStore, "recordAlert">, handler: AlertHandler | undefined, timing: Timing) {
    this.#store = store;
    this.#handler = handler;
    this.#timing = timing;
  }

  /** Never rejects, and takes ten seconds at most. A handler that takes longer is left to itself. */
  async raise(ctx: WorkerCtx, input: AlertInput): Promise<void> {
    const at = ctx.now();
    const { severity, code, message, eventId = null, commandId = null, queue = null, messageId = null } = input;
    const alert: Alert = Object.freeze({
      id: timeOrderedId(at),
      raisedAt: at,
      severity,
      code,
      message,
      eventId,
      commandId,
      queue,
      messageId,
    });
    ctx.logger[severity === "high" ? "error" : "warn"]({ alert: code, eventId, commandId, queue, messageId }, message);
    await this.#attempt(ctx, "an alert handler failed", async () => this.#handler?.(alert));
    await this.#attempt(ctx, "an alert could not be stored", () => this.#store.recordAlert(alert));
  }

  async #attempt(ctx: WorkerCtx, failure: string, step: () => Promise<void>): Promise<void> {
    try {
      await within(this.#timing, PATIENCE_MS, step);
    } catch (error) {
      ctx.logger.error({ error }, failure);
    }
  }
}

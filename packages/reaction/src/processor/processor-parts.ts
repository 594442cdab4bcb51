/** What the parts of a processor share. */
import type { Timing } from "../kit/timing.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import type { QueueSender } from "../seam/message-queue.ts";
import type { ReactionStore } from "../seam/reaction-store.ts";
import type { AlertRaiser } from "./alert-raiser.ts";
import type { CommandRegistry } from "./command-registry.ts";
import type { ProcessorSettings } from "./processor-settings.ts";

/** See the file header. */
export interface ProcessorParts<Tx = unknown> {
  readonly store: ReactionStore<Tx>;
  /** Of `async-policy-task`. */
  readonly queue: QueueSender;
  /** For review marks; null where there is none. */
  readonly keyValue: KeyValueStore | null;
  readonly alerts: AlertRaiser;
  readonly registry: CommandRegistry;
  readonly settings: ProcessorSettings;
  readonly timing: Timing;
  /** Names this process in leases. */
  readonly owner: string;
}

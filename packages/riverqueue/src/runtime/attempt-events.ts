/** Where attempts send their events: the event hub, as far as they know it. */
import type { RiverEvent, RiverEventKind } from "../model/river-event.ts";

/** See the file header. */
export interface AttemptEvents {
  /** Whether anybody listens; if not, the event need not be built. */
  wanted(kind: RiverEventKind): boolean;
  emit(event: RiverEvent): void;
}

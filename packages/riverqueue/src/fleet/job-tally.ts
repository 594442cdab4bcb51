/** What the rest of a client tells whoever counts its work. Nothing is built for it, and it must be quick. */
import type { JobRecord } from "../model/job-record.ts";
import type { RiverEvent, RiverEventKind } from "../model/river-event.ts";

/** See the file header. None of its methods throws. */
export interface JobTally {
  /** Jobs were written; a transaction of the application may still undo that. */
  inserted(jobs: readonly { readonly kind: string; readonly queue: string }[]): void;
  /** Jobs were claimed. */
  claimed(records: readonly JobRecord[]): void;
  /** What became of an attempt is committed. */
  ended(kind: RiverEventKind, record: JobRecord): void;
  /** Any event was emitted. Events about jobs are emitted only while somebody listens to them. */
  happened(event: RiverEvent): void;
}

/** Collects in memory what the fleet's tables are to hold: counts by minute, and entries of the audit trail. */
import type { Clock } from "../kit/clock.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { RiverEvent, RiverEventKind } from "../model/river-event.ts";
import type { JobTally } from "./job-tally.ts";
import { latencyBucketOf } from "./latency-buckets.ts";
import { COUNT, MinuteCounts } from "./minute-counts.ts";

/** Something that happened to a client or a queue. */
export interface AuditNote {
  readonly at: Temporal.Instant;
  readonly action: string;
  /** Name of the queue, if it is about one. */
  readonly subject: string | null;
}

/** Entries of the audit trail that wait to be written, at most; beyond it the oldest are dropped. */
export const AUDIT_NOTES_LIMIT = 1_000;

/** See the file header. */
export class FleetRecorder implements JobTally {
  readonly minutes: MinuteCounts;
  readonly #clock: Clock;
  #notes: AuditNote[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.minutes = new MinuteCounts(clock);
  }

  inserted(jobs: Parameters<JobTally["inserted"]>[0]): void {
    for (const { queue, kind } of jobs) this.minutes.add(queue, kind, COUNT.inserted);
  }

  claimed(records: readonly JobRecord[]): void {
    for (const record of records) countReadable(() => this.#claimedOne(record));
  }

  ended(kind: RiverEventKind, record: JobRecord): void {
    const position = kind === "job_completed" ? COUNT.completed : kind === "job_failed" ? COUNT.failed : null;
    if (position !== null) countReadable(() => this.minutes.add(record.queue, record.kind, position));
  }

  happened(event: RiverEvent): void {
    const { kind, at } = event;
    if ("queue" in event) this.#note({ at, action: kind, subject: event.queue.name });
    else if (kind === "queue_removed") this.#note({ at, action: kind, subject: event.queueName });
    else if (kind === "leader_acquired" || kind === "leader_lost") this.#note({ at, action: kind, subject: null });
  }

  /** Notes what the client itself does. */
  noteClient(action: "client_started" | "client_stopped"): void {
    this.#note({ at: this.#clock.now(), action, subject: null });
  }

  /** Takes out all entries, the earliest first. */
  takeNotes(): readonly AuditNote[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  /** Takes back entries that could not be written. */
  giveBackNotes(notes: readonly AuditNote[]): void {
    this.#notes = [...notes, ...this.#notes].slice(-AUDIT_NOTES_LIMIT);
  }

  clear(): void {
    this.minutes.clear();
    this.#notes = [];
  }

  #claimedOne({ queue, kind, scheduledAt, attemptedAt }: JobRecord): void {
    if (attemptedAt === null) return;
    const waitedMs = attemptedAt.epochMilliseconds - scheduledAt.epochMilliseconds;
    this.minutes.add(queue, kind, COUNT.latency + latencyBucketOf(waitedMs));
  }

  #note(note: AuditNote): void {
    this.#notes.push(note);
    if (this.#notes.length > AUDIT_NOTES_LIMIT) this.#notes.shift();
  }
}

/** A row with an unreadable column fails its attempt, and must not also fail whoever counts it. */
function countReadable(count: () => void): void {
  try {
    count();
  } catch {
    // Uncounted.
  }
}

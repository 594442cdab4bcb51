/** One try of one verb: the connection it runs on, its time, and whether it wrote notices. */
import type { Notice } from "riverqueue/driver";
import type { SqliteConnection } from "../connection/sqlite-connection.ts";
import { formatEpochMilliseconds, roundToMilliseconds } from "../record/canonical-time.ts";
import { SEND_NOTICES } from "../sql/notices/send.ts";

/** What the body of a verb works with. A body is synchronous: nothing else runs on the connection meanwhile. */
export class Unit {
  readonly connection: SqliteConnection;
  /** Milliseconds since the epoch: the test's clock if there is one, the time at which the lock was got otherwise. */
  readonly nowMs: number;
  /** The same as canonical text. */
  readonly now: string;
  #wroteNotices = false;

  constructor(connection: SqliteConnection, now: Temporal.Instant | undefined) {
    this.connection = connection;
    this.nowMs = now === undefined ? Date.now() : roundToMilliseconds(now);
    this.now = formatEpochMilliseconds(this.nowMs);
  }

  /** Whether the outbox has rows of this unit. */
  get wroteNotices(): boolean {
    return this.#wroteNotices;
  }

  /** Writes notices; they become visible with the commit. */
  send(notices: readonly Notice[]): void {
    if (notices.length === 0) return;
    const rows = notices.map(({ topic, payload }) => [topic, payload]);
    this.connection.change(SEND_NOTICES, JSON.stringify(rows), this.now);
    this.#wroteNotices = true;
  }
}

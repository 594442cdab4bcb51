/**
 * A client's part in the fleet's tables: it writes a heartbeat every ten seconds, adds up what it does in each minute,
 * keeps the audit trail, and deletes old rows while it leads. It does so where the migration line `fleet` is applied, and
 * elsewhere nothing. Jobs never wait for it, and none of its failures reaches them.
 */
import type { RunDiagnostics } from "../api/run-handle.ts";
import type { ExtensionFacet } from "../driver/extension-facet.ts";
import type { Backend } from "../driver/traits.ts";
import { type Backoff, backoffMs } from "../kit/backoff.ts";
import { pause } from "../kit/clock.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { FleetRecorder } from "./fleet-recorder.ts";
import type { FleetSettings } from "./fleet-settings.ts";
import { FleetStore } from "./fleet-store.ts";
import { heartbeatOf } from "./heartbeat.ts";
import type { JobTally } from "./job-tally.ts";

/** Time between two heartbeats, in milliseconds. */
export const HEARTBEAT_MS = 10_000;
/** Time between two looks for the tables where they are not there. */
export const RECHECK_MS = 600_000;
/** Time between two deletions of old rows, while this client leads. */
export const CLEAN_MS = 600_000;
/** Longest time of one statement, and so about what a stop can take longer because of them. */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Longest time of the deletions. */
const CLEAN_TIMEOUT_MS = 10_000;
/** Pauses after failures in a row. */
const FAILURE_BACKOFF: Backoff = Object.freeze({ baseMs: HEARTBEAT_MS, maxMs: 300_000 });
/** Failures are logged no more often than this. */
export const FAILURE_LOG_MS = 600_000;
/** Rows of counts that one statement adds. */
const ROWS_PER_STATEMENT = 1_000;

const WRITE = Object.freeze({ lane: "background", timeoutMs: STATEMENT_TIMEOUT_MS } as const);
const CLEAN = Object.freeze({ lane: "background", timeoutMs: CLEAN_TIMEOUT_MS } as const);

/** What a fleet works with. */
export interface FleetDependencies<Tx> {
  readonly backend: Backend;
  readonly facets: { readonly extension: ExtensionFacet<Tx> };
  readonly clientId: string;
  readonly settings: FleetSettings;
  readonly environment: Environment;
  readonly logger: Logger;
  /** Names who counts from now on, or that nobody does. */
  readonly countWith: (tally: JobTally | null) => void;
}

/** See the file header. */
export class Fleet<Tx> {
  readonly #dependencies: FleetDependencies<Tx>;
  readonly #store: FleetStore<Tx>;
  readonly #recorder: FleetRecorder;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | null = null;
  /** False: not, or not known. */
  #migrated = false;
  #cleanDue: number;
  #failures = 0;
  #failuresInRow = 0;
  #loggedAt = -Infinity;

  constructor(dependencies: FleetDependencies<Tx>) {
    this.#dependencies = dependencies;
    const { backend, facets, environment } = dependencies;
    this.#store = new FleetStore({ backend, extension: facets.extension, now: environment.databaseNow });
    this.#recorder = new FleetRecorder(environment.clock);
    this.#cleanDue = environment.clock.monotonic();
  }

  /** Rounds that failed so far. */
  get failures(): number {
    return this.#failures;
  }

  /** Looks for the tables, and counts from now on what is done meanwhile. */
  start(diagnostics: () => RunDiagnostics): void {
    const { environment, countWith } = this.#dependencies;
    countWith(this.#recorder);
    this.#recorder.noteClient("client_started");
    this.#loop = this.#run(diagnostics, environment.clock.now(), this.#stopping.signal);
  }

  /** Writes what is left, once, and removes the client's row. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    this.#dependencies.countWith(null);
    if (!this.#migrated) return;
    try {
      this.#recorder.noteClient("client_stopped");
      await this.#flush("all");
      await this.#store.leave(this.#dependencies.clientId, WRITE);
    } catch (error) {
      this.#failed(error);
    }
  }

  async #run(diagnostics: () => RunDiagnostics, startedAt: Temporal.Instant, stopping: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies.environment;
    while (!stopping.aborted) await pause(clock, await this.#round(diagnostics, startedAt), stopping);
  }

  /** One round; milliseconds until the next. */
  async #round(diagnostics: () => RunDiagnostics, startedAt: Temporal.Instant): Promise<number> {
    try {
      if (!this.#migrated && !(await this.#findTables())) return RECHECK_MS;
      // First, because figures of an executor may be such that the heartbeat cannot be written.
      await this.#flush("over");
      const snapshot = diagnostics();
      await this.#store.beat(heartbeatOf(snapshot, startedAt), WRITE);
      await this.#clean(snapshot);
      this.#failuresInRow = 0;
      return HEARTBEAT_MS;
    } catch (error) {
      this.#failed(error);
      this.#failuresInRow += 1;
      return backoffMs(FAILURE_BACKOFF, this.#failuresInRow, this.#dependencies.environment.random);
    }
  }

  async #findTables(): Promise<boolean> {
    this.#migrated = await this.#store.isMigrated(WRITE);
    if (!this.#migrated) this.#recorder.clear();
    this.#dependencies.countWith(this.#migrated ? this.#recorder : null);
    return this.#migrated;
  }

  async #flush(which: "all" | "over"): Promise<void> {
    await this.#flushNotes();
    for (;;) {
      const rows = this.#recorder.minutes.take(which, ROWS_PER_STATEMENT);
      if (rows.length === 0) break;
      try {
        await this.#store.addMinutes(rows, WRITE);
      } catch (error) {
        this.#recorder.minutes.giveBack(rows);
        throw error;
      }
    }
    const lost = this.#recorder.minutes.takeLost();
    if (lost > 0) this.#dependencies.logger.warn({ lost }, "too many queues and kinds to count them all by the minute");
  }

  async #flushNotes(): Promise<void> {
    const notes = this.#recorder.takeNotes();
    if (notes.length === 0) return;
    try {
      await this.#store.addNotes(this.#dependencies.clientId, notes, WRITE);
    } catch (error) {
      this.#recorder.giveBackNotes(notes);
      throw error;
    }
  }

  async #clean({ maintenance }: RunDiagnostics): Promise<void> {
    const term = maintenance?.leader ?? null;
    const now = this.#dependencies.environment.clock.monotonic();
    if (term === null || now < this.#cleanDue) return;
    if (await this.#store.deleteOld(term, this.#dependencies.settings, CLEAN)) this.#cleanDue = now + CLEAN_MS;
  }

  /** The next round looks for the tables again, which may be gone. */
  #failed(error: unknown): void {
    this.#migrated = false;
    this.#failures += 1;
    const { environment, logger } = this.#dependencies;
    const now = environment.clock.monotonic();
    if (now - this.#loggedAt < FAILURE_LOG_MS) return;
    this.#loggedAt = now;
    logger.warn({ error, failures: this.#failures }, "the fleet's tables could not be written; jobs are not affected");
  }
}

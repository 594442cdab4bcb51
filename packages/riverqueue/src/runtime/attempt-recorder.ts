/** What one attempt records: output, metadata, progress of resumable steps, and its completion inside the application's transaction. */
import type { DriverFacets } from "../driver/driver.ts";
import type { Settlement } from "../driver/settle-jobs.ts";
import type { Backend } from "../driver/traits.ts";
import type { JsonValue } from "../json/json-value.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import type { Environment } from "../kit/environment.ts";
import { DatabaseOperationError } from "../model/errors/database-operation-error.ts";
import { JobAttemptFinishedError } from "../model/errors/job-attempt-finished-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { JobRow } from "../model/job-row.ts";
import { jobRowOf } from "../model/job-row-view.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { assertTransaction, type ResumableAttempt, ResumableProgress } from "../work/resumable-progress.ts";
import { StagedMetadata } from "../work/staged-metadata.ts";

/** What recorders of all attempts share. */
export interface RecorderDependencies<Tx> {
  readonly facets: Pick<DriverFacets<Tx>, "jobs">;
  /** Names the database in errors. */
  readonly backend: Backend;
  readonly clientId: string;
  readonly environment: Environment;
}

/** See the file header. */
export class AttemptRecorder<Tx> implements ResumableAttempt<Tx> {
  readonly #dependencies: RecorderDependencies<Tx>;
  readonly #record: JobRecord;
  readonly #deleteOnComplete: boolean;
  #staged: StagedMetadata | null = null;
  #progress: ResumableProgress<Tx> | null = null;
  #completedTx: JobRecord | null = null;
  #open = true;

  constructor(dependencies: RecorderDependencies<Tx>, record: JobRecord, deleteOnComplete: boolean) {
    this.#dependencies = dependencies;
    this.#record = record;
    this.#deleteOnComplete = deleteOnComplete;
  }

  /** Null when nothing was recorded. */
  get staged(): StagedMetadata | null {
    return this.#staged;
  }

  /** The job as `completeTx` wrote it, else null. */
  get completedTx(): JobRecord | null {
    return this.#completedTx;
  }

  /** Progress of the resumable steps; null while nobody has asked for it. */
  get progress(): ResumableProgress<Tx> | null {
    return this.#progress;
  }

  /** @throws Error when the stored progress is unreadable. */
  openProgress(): ResumableProgress<Tx> {
    return (this.#progress ??= new ResumableProgress(parseJsonObject(this.#record.metadata), this));
  }

  recordOutput(output: JsonValue): void {
    this.assertRunning();
    this.#stage().setOutput(output);
  }

  setMetadata(key: string, value: JsonValue): void {
    this.assertRunning();
    this.#stage().set(key, value);
  }

  /** Adds the progress of the resumable steps, for an attempt that has not completed its job. */
  stageProgress(): void {
    this.#progress?.stage(this.#stage());
  }

  /** The attempt has ended: nothing can be recorded any more. */
  close(): void {
    this.#open = false;
  }

  assertRunning(): void {
    if (!this.#open) throw new JobAttemptFinishedError(this.#record.id);
  }

  /** See `WorkContext.completeTx`. */
  async completeTx(tx: Tx, options: unknown): Promise<JobRow> {
    this.assertRunning();
    assertTransaction(tx, "completeTx");
    const output = readOutput(options);
    if (output !== undefined) this.#stage().setOutput(output);
    const { facets, environment } = this.#dependencies;
    const [settled] = await facets.jobs.settle(
      { settlements: [this.#completion()], wantRows: true },
      { scope: { owner: "caller", tx }, now: environment.databaseNow?.() },
    );
    if (settled?.outcome === "locked") throw this.#locked();
    if (settled?.outcome !== "settled" || settled.job === null) throw new JobAttemptFinishedError(this.#record.id);
    this.#completedTx = settled.job;
    return jobRowOf(settled.job);
  }

  async writeMetadata(tx: Tx, metadata: string): Promise<JobRow> {
    const { facets, environment } = this.#dependencies;
    const call = { scope: { owner: "caller", tx }, now: environment.databaseNow?.() } as const;
    const { id } = this.#record;
    this.#requireOwned(await facets.jobs.get({ id }, call));
    // The row may have changed hands between the two statements; from the second one on it is locked.
    return jobRowOf(this.#requireOwned(await facets.jobs.update({ id, metadata }, call)));
  }

  #stage(): StagedMetadata {
    return (this.#staged ??= new StagedMetadata());
  }

  #completion(): Settlement {
    return {
      id: this.#record.id,
      attempt: this.#record.attempt,
      clientId: this.#dependencies.clientId,
      state: "completed",
      newAttempt: null,
      finalizedAt: this.#dependencies.environment.clock.now(),
      scheduledAt: null,
      error: null,
      metadata: this.#staged?.text() ?? null,
      deleteRow: this.#deleteOnComplete,
    };
  }

  #requireOwned(row: JobRecord | null): JobRecord {
    const owned =
      row?.state === "running" &&
      row.attempt === this.#record.attempt &&
      row.attemptedBy.at(-1) === this.#dependencies.clientId;
    if (!owned) throw new JobAttemptFinishedError(this.#record.id);
    return row;
  }

  #locked(): DatabaseOperationError {
    return new DatabaseOperationError("the job's row is locked by another session", {
      backend: this.#dependencies.backend,
      operation: "jobs.settle",
      retryable: true,
    });
  }
}

function readOutput(options: unknown): JsonValue | undefined {
  if (options === undefined) return undefined;
  const problems = new OptionProblems();
  const { output } = problems.object(options, "completeTx options", ["output"]);
  problems.throwValidation();
  return output as JsonValue | undefined;
}

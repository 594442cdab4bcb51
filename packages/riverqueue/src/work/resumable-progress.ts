/**
 * Progress of one attempt through its resumable steps: which ones run, which are skipped, and what of it is stored under
 * the two metadata keys that River clients of every language share.
 */
import { copyJsonValue, type JsonCheck } from "../json/copy-json-value.ts";
import { describeValue } from "../json/describe-value.ts";
import { isJsonNumber } from "../json/exact-json-number.ts";
import { JSON_DEPTH_LIMIT } from "../json/json-limits.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import type { JobRow } from "../model/job-row.ts";
import { LifecycleError } from "../model/errors/lifecycle-error.ts";
import { ValidationError } from "../model/errors/validation-error.ts";
import { OptionProblems } from "../options/option-problems.ts";
import type { WorkOutcome } from "./outcome.ts";
import type { Resumable, ResumableCheckpointOptions } from "./resumable.ts";
import { StagedMetadata } from "./staged-metadata.ts";

/** Metadata key of the last finished step. */
export const RESUMABLE_STEP_KEY = "river:resumable_step";
/** Metadata key of an object from step name to cursor. */
export const RESUMABLE_CURSOR_KEY = "river:resumable_cursor";

/** A cursor lies two levels deep in the metadata. */
const CURSOR_CHECK: JsonCheck = Object.freeze({ subject: "resumable cursor", maxDepth: JSON_DEPTH_LIMIT - 2 });

/** What the progress needs from its attempt. */
export interface ResumableAttempt<Tx> {
  /** @throws JobAttemptFinishedError after the attempt. */
  assertRunning(): void;
  /** Merges metadata into the attempt's row in a transaction of the application. */
  writeMetadata(tx: Tx, metadata: string): Promise<JobRow>;
}

/** See the file header. */
export class ResumableProgress<Tx> implements Resumable<Tx> {
  readonly #attempt: ResumableAttempt<Tx>;
  readonly #resumeStep: string;
  readonly #cursors: Map<string, JsonValue>;
  /** Names under which the row may hold a cursor. */
  readonly #storedCursors: Set<string>;
  readonly #seen: Set<string> = new Set();
  /** Whether the resume step has been reached. */
  #matched: boolean;
  #finished: string | null = null;
  #running: string | null = null;
  #failure: { readonly error: unknown } | null = null;
  /** Whether there is progress that neither the row nor a checkpoint has. */
  #unsaved = false;

  /** @throws Error when the stored cursors are an array. */
  constructor(stored: JsonObject, attempt: ResumableAttempt<Tx>) {
    const step = stored[RESUMABLE_STEP_KEY];
    this.#attempt = attempt;
    this.#resumeStep = typeof step === "string" ? step : "";
    this.#matched = this.#resumeStep === "";
    this.#cursors = readCursors(stored[RESUMABLE_CURSOR_KEY]);
    this.#storedCursors = new Set(this.#cursors.keys());
  }

  readonly step = (name: string, body: () => PromiseLike<void> | void): Promise<void> => this.#step(name, false, body);

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type of its own cursor
  readonly stepWithCursor = <Cursor extends JsonValue = JsonValue>(
    name: string,
    body: (cursor: Cursor | null) => PromiseLike<void> | void,
  ): Promise<void> => this.#step(name, true, () => body((this.#cursors.get(name) ?? null) as Cursor | null));

  readonly setCursor = (cursor: JsonValue): void => {
    this.#attempt.assertRunning();
    const step = this.#running;
    if (step === null) throw new LifecycleError("river: resumable cursor can only be used within ResumableStepCursor");
    const copy = copyJsonValue(cursor, CURSOR_CHECK);
    if (copy === null) this.#cursors.delete(step);
    else this.#cursors.set(step, copy);
    this.#unsaved = true;
  };

  readonly checkpoint = async (options: ResumableCheckpointOptions<Tx>): Promise<JobRow> => {
    this.#attempt.assertRunning();
    const { tx, cursor } = readCheckpointOptions(options);
    const step = this.#running;
    if (step === null) throw new LifecycleError("river: resumable checkpoint can only be used within a step");
    const cursors = new Map(this.#cursors);
    if (cursor !== undefined) cursors.set(step, copyJsonValue(cursor, CURSOR_CHECK));
    if (cursors.get(step) === null) cursors.delete(step);
    const metadata = new StagedMetadata();
    this.#write(metadata, step, cursors);
    // Progress made while the statement runs is not part of it.
    this.#unsaved = false;
    let job: JobRow;
    try {
      job = await this.#attempt.writeMetadata(tx, metadata.text() as string);
    } catch (error) {
      this.#unsaved = true;
      throw error;
    }
    // From here on the transaction owns this progress. It is not written again when the attempt ends, so that a
    // rollback takes it back.
    this.#finished = step;
    if (cursor !== undefined && !this.#unsaved) replace(this.#cursors, cursors);
    for (const name of cursors.keys()) this.#storedCursors.add(name);
    return job;
  };

  /** What handlers get of it. */
  readonly resumable: Resumable<Tx> = Object.freeze({
    step: this.step,
    stepWithCursor: this.stepWithCursor,
    setCursor: this.setCursor,
    checkpoint: this.checkpoint,
  });

  /**
   * The result of the attempt, given what its handler returned.
   *
   * @throws the error of the step that failed, or LifecycleError when a step that an earlier attempt got to does not
   *   exist any more; what is stored stays as it is then.
   */
  resultOf(outcome: WorkOutcome | undefined): WorkOutcome | undefined {
    if (outcome !== undefined && outcome.type !== "complete") return outcome;
    if (this.#failure !== null) throw this.#failure.error;
    const missing = this.#missingStep();
    if (missing === null) return outcome;
    this.#unsaved = false;
    throw new LifecycleError(`river: resumable step "${missing}" not found in Worker`);
  }

  /** Records the progress for an attempt that has not completed its job. */
  stage(metadata: StagedMetadata): void {
    if (this.#unsaved) this.#write(metadata, this.#finished, this.#cursors);
  }

  async #step(name: string, withCursor: boolean, body: () => PromiseLike<void> | void): Promise<void> {
    this.#attempt.assertRunning();
    assertStepName(name);
    if (typeof body !== "function") throw new ValidationError("resumable step must be given a function");
    if (this.#failure !== null) return;
    if (this.#running !== null) {
      this.#fail(
        new LifecycleError(
          `river: resumable step "${name}" called while step "${this.#running}" runs; steps cannot be nested`,
        ),
      );
    }
    if (this.#seen.has(name)) this.#fail(new LifecycleError(`river: duplicate resumable step name "${name}"`));
    this.#seen.add(name);
    if (this.#isSkipped(name, withCursor)) return;
    this.#running = name;
    try {
      await body();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = null;
    }
    // A step called inside this one has failed, and this one caught it; it has to run again with that one.
    if (this.#failure !== null) return;
    this.#finished = name;
    this.#cursors.delete(name);
    this.#unsaved = true;
  }

  #isSkipped(name: string, withCursor: boolean): boolean {
    if (this.#matched) return false;
    if (name !== this.#resumeStep) return true;
    this.#matched = true;
    this.#finished = name;
    return !withCursor || !this.#cursors.has(name);
  }

  #fail(error: unknown): never {
    this.#failure ??= { error };
    throw error;
  }

  #missingStep(): string | null {
    if (!this.#matched) return this.#resumeStep;
    for (const name of this.#storedCursors) if (!this.#seen.has(name)) return name;
    return null;
  }

  #write(metadata: StagedMetadata, step: string | null, cursors: ReadonlyMap<string, JsonValue>): void {
    if (step !== null) metadata.setReserved(RESUMABLE_STEP_KEY, step);
    if (cursors.size > 0) metadata.setReserved(RESUMABLE_CURSOR_KEY, cursorObject(cursors));
    else if (this.#storedCursors.size > 0) metadata.setReserved(RESUMABLE_CURSOR_KEY, null);
  }
}

/** The stored object is replaced as a whole, so cursors that are not in it are gone. */
function cursorObject(cursors: ReadonlyMap<string, JsonValue>): JsonObject {
  const object: Record<string, JsonValue> = Object.create(null);
  for (const [name, cursor] of cursors) object[name] = cursor;
  return object;
}

function readCursors(stored: JsonValue | undefined): Map<string, JsonValue> {
  const cursors = new Map<string, JsonValue>();
  if (typeof stored !== "object" || stored === null || isJsonNumber(stored)) return cursors;
  if (Array.isArray(stored))
    throw new ValidationError("river: stored resumable cursors are an array instead of an object");
  for (const [name, cursor] of Object.entries(stored)) if (cursor !== null) cursors.set(name, cursor);
  return cursors;
}

function readCheckpointOptions<Tx>(options: ResumableCheckpointOptions<Tx>): ResumableCheckpointOptions<Tx> {
  const problems = new OptionProblems();
  problems.object(options, "checkpoint options", ["tx", "cursor"]);
  problems.throwValidation();
  assertTransaction(options.tx, "checkpoint");
  return options;
}

/** @throws ValidationError for what cannot be a transaction of any driver. */
export function assertTransaction(tx: unknown, caller: string): void {
  if (typeof tx === "object" && tx !== null) return;
  throw new ValidationError(`tx of ${caller} must be an open transaction, not ${describeValue(tx)}`);
}

function replace(target: Map<string, JsonValue>, source: ReadonlyMap<string, JsonValue>): void {
  target.clear();
  for (const [name, cursor] of source) target.set(name, cursor);
}

function assertStepName(name: unknown): void {
  if (typeof name !== "string" || name === "" || name.includes("\0") || !name.isWellFormed()) {
    throw new ValidationError(
      "resumable step name must be a string that is not empty, without U+0000 or lone surrogates",
    );
  }
}

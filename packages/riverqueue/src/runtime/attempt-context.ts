/**
 * The objects that the application's code sees of an attempt. Everything is made when first looked at, and the functions
 * keep working when they are taken out of their context.
 */
import type { Client } from "../api/client.ts";
import type { Job, JobDefinition } from "../definition/job-definition.ts";
import type { WorkLogger } from "../kit/logger.ts";
import type { JobRow } from "../model/job-row.ts";
import { withDecodedArgs } from "../model/job-row-view.ts";
import type { Resumable } from "../work/resumable.ts";
import type { ErrorHandlerContext, WorkAttemptContext, WorkContext, WorkExecution } from "../work/work-context.ts";
import type { AttemptRecorder } from "./attempt-recorder.ts";

/** The attempt behind its contexts. */
export interface ContextSource<Tx> {
  readonly client: Client<Tx>;
  readonly execution: WorkExecution;
  readonly row: JobRow;
  readonly logger: WorkLogger;
  readonly recorder: AttemptRecorder<Tx>;
  readonly signal: AbortSignal;
}

/** What all contexts have. */
class AttemptContext<Tx> {
  readonly #source: ContextSource<Tx>;

  constructor(source: ContextSource<Tx>) {
    this.#source = source;
  }

  get client(): Client<Tx> {
    return this.#source.client;
  }

  get execution(): WorkExecution {
    return this.#source.execution;
  }

  get logger(): WorkLogger {
    return this.#source.logger;
  }

  get recordOutput(): WorkAttemptContext["recordOutput"] {
    const { recorder } = this.#source;
    return (output) => recorder.recordOutput(output);
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }
}

/** For the error handler. */
export class AttemptErrorContext<Tx> extends AttemptContext<Tx> implements ErrorHandlerContext<Tx> {
  readonly #source: ContextSource<Tx>;

  constructor(source: ContextSource<Tx>) {
    super(source);
    this.#source = source;
  }

  get job(): JobRow {
    return this.#source.row;
  }
}

/** For hooks and middleware. */
export class AttemptHookContext<Tx> extends AttemptErrorContext<Tx> implements WorkAttemptContext<Tx> {
  readonly #source: ContextSource<Tx>;

  constructor(source: ContextSource<Tx>) {
    super(source);
    this.#source = source;
  }

  get setMetadata(): WorkAttemptContext["setMetadata"] {
    const { recorder } = this.#source;
    return (key, value) => recorder.setMetadata(key, value);
  }
}

/** For the handler and the hooks after it. */
export class AttemptHandlerContext<Tx> extends AttemptContext<Tx> implements WorkContext<JobDefinition, Tx> {
  readonly #source: ContextSource<Tx>;
  #job: Job | null;

  /** @param job - null: its arguments need no decoding, and are parsed when somebody looks at the job. */
  constructor(source: ContextSource<Tx>, job: Job | null) {
    super(source);
    this.#source = source;
    this.#job = job;
  }

  get job(): Job {
    return (this.#job ??= withDecodedArgs<unknown>(this.#source.row, this.#source.row.args));
  }

  get setMetadata(): WorkAttemptContext["setMetadata"] {
    const { recorder } = this.#source;
    return (key, value) => recorder.setMetadata(key, value);
  }

  get completeTx(): WorkContext<JobDefinition, Tx>["completeTx"] {
    const { recorder } = this.#source;
    return (tx, options) => recorder.completeTx(tx, options);
  }

  get resumable(): Resumable<Tx> {
    return this.#source.recorder.openProgress().resumable;
  }
}

/**
 * One attempt from its claim to its settlement: decides in which order the application's code runs, watches the time,
 * and turns whatever comes of it into exactly one end. It never writes to the database by itself.
 */
import type { Client } from "../api/client.ts";
import { decodeArgs } from "../definition/decode-args.ts";
import type { JobDefinition } from "../definition/job-definition.ts";
import { runWorkMiddleware } from "../extend/run-work-middleware.ts";
import { describeValue } from "../json/describe-value.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { WorkLogger } from "../kit/logger.ts";
import { JobTimeoutError } from "../model/errors/job-timeout-error.ts";
import { LifecycleError } from "../model/errors/lifecycle-error.ts";
import { canonicalError } from "../model/errors/recorded-error.ts";
import { UnknownJobKindError } from "../model/errors/unknown-job-kind-error.ts";
import { ValidationError } from "../model/errors/validation-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import type { JobRow } from "../model/job-row.ts";
import { loggableJob } from "../model/loggable-job.ts";
import { jobRowOf, withDecodedArgs } from "../model/job-row-view.ts";
import { durationOfMs } from "../options/duration-input.ts";
import { type AmbientAttempt, runInAttempt } from "../work/current-work-context.ts";
import { isWorkOutcome, type WorkOutcome } from "../work/outcome.ts";
import type { StagedMetadata } from "../work/staged-metadata.ts";
import type { CurrentWorkContext, WorkContext, WorkExecution } from "../work/work-context.ts";
import type { WorkExecutorTarget } from "../work/work-executor.ts";
import type { WorkHandler, WorkHandlerFactory } from "../work/work-handler.ts";
import { workLogger } from "../work/work-logger.ts";
import { type AbortCause, AttemptAbort } from "./attempt-abort.ts";
import {
  AttemptErrorContext,
  AttemptHandlerContext,
  AttemptHookContext,
  type ContextSource,
} from "./attempt-context.ts";
import type { Deadline } from "./attempt-deadlines.ts";
import type { AttemptEnd } from "./attempt-end.ts";
import { runOnExecutor } from "./attempt-executor.ts";
import { type HookCancellation, type HookedAttempt, runAfterHooks } from "./attempt-hooks.ts";
import type { AttemptPlan } from "./attempt-plan.ts";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { AttemptServices, RunningAttempt } from "./attempt-services.ts";
import { settleAttempt } from "./attempt-settlement.ts";
import type { AttemptResult } from "./attempt-verdict.ts";

/** See the file header. */
export class AttemptRun<Tx> implements AmbientAttempt, ContextSource<Tx>, HookedAttempt, RunningAttempt {
  readonly record: JobRecord;
  readonly end: Promise<AttemptEnd | null>;
  readonly aborts: AttemptAbort = new AttemptAbort();
  readonly startedAt: Temporal.Instant;
  readonly plan: AttemptPlan<Tx> | null;
  readonly services: AttemptServices<Tx>;
  readonly #startedAtMs: number;
  #row: JobRow | null = null;
  #logger: WorkLogger | null = null;
  #recorder: AttemptRecorder<Tx> | null = null;
  #handlerContext: AttemptHandlerContext<Tx> | null = null;
  #hookContext: AttemptHookContext<Tx> | null = null;
  #deadline: Deadline | null = null;
  #hookCancellation: HookCancellation | null = null;
  /** Whether handler and hooks have ended, so that no timeout may begin any more. */
  #isOver = false;
  #isStuck = false;

  constructor(services: AttemptServices<Tx>, record: JobRecord) {
    const { clock } = services.environment;
    this.services = services;
    this.record = record;
    this.startedAt = clock.now();
    this.#startedAtMs = clock.monotonic();
    this.plan = planFor(services, record);
    // Begins in a microtask: whoever started the attempt has taken note of it by then.
    this.end = Promise.resolve(this).then(runWithin);
  }

  /** The job was cancelled from outside. */
  cancel(): void {
    runInAttempt(this, () => this.aborts.cancel(this.record.id));
  }

  /** The client stops running handlers. */
  interrupt(): void {
    this.#abort("shutdown", new LifecycleError("the client is stopping"));
  }

  get client(): Client<Tx> {
    return this.services.client;
  }

  get execution(): WorkExecution {
    return Object.freeze({ attemptedBy: this.services.clientId, startedAt: this.startedAt });
  }

  get row(): JobRow {
    return (this.#row ??= jobRowOf(this.record));
  }

  get logger(): WorkLogger {
    return (this.#logger ??= workLogger(this.services.logger, this.record));
  }

  get signal(): AbortSignal {
    return this.aborts.signal;
  }

  get recorder(): AttemptRecorder<Tx> {
    const deletes = this.plan?.registration.options.deleteOnComplete ?? false;
    return (this.#recorder ??= new AttemptRecorder(this.services, this.record, deletes));
  }

  /** Null when nothing was ever recorded. */
  get usedRecorder(): AttemptRecorder<Tx> | null {
    return this.#recorder;
  }

  get handlerContext(): CurrentWorkContext | null {
    // Nothing is known about the job or the transactions of whatever handler asks for its context.
    return this.#handlerContext as CurrentWorkContext | null;
  }

  get hookContext(): AttemptHookContext<Tx> {
    return (this.#hookContext ??= new AttemptHookContext(this));
  }

  get errorContext(): AttemptErrorContext<Tx> {
    return new AttemptErrorContext(this);
  }

  get staged(): StagedMetadata | null {
    return this.#recorder?.staged ?? null;
  }

  recordOutput(output: JsonValue): void {
    this.recorder.recordOutput(output);
  }

  setMetadata(key: string, value: JsonValue): void {
    this.recorder.setMetadata(key, value);
  }

  cancelWith(cancellation: HookCancellation): void {
    this.#hookCancellation = cancellation;
  }

  /** Runs the attempt; null when its end cannot be described. Never rejects. */
  async run(): Promise<AttemptEnd | null> {
    const result = await this.#result();
    this.aborts.decide();
    const end = await this.#settle(result);
    this.#recorder?.close();
    this.aborts.finish(this.record.id);
    if (this.#isStuck) {
      this.services.stuckAttempts.ended(this.record, this.services.environment.clock.monotonic() - this.#startedAtMs);
    }
    return end;
  }

  async #result(): Promise<AttemptResult> {
    try {
      const outcome = await this.#perform();
      if (outcome?.type === "complete" && outcome.output !== undefined) this.recorder.recordOutput(outcome.output);
      return { type: "returned", outcome };
    } catch (error) {
      return { type: "threw", error, cancel: this.#cancellationWith(error) };
    }
  }

  async #settle(result: AttemptResult): Promise<AttemptEnd | null> {
    try {
      return await settleAttempt(this, result);
    } catch (error) {
      const message = "the end of an attempt cannot be stored; the job stays running until it is rescued";
      this.services.logger.error({ ...loggableJob(this.record), error }, message);
      return null;
    }
  }

  /** Listeners of the signal run in the context of their attempt, whoever aborts it. */
  #abort(cause: AbortCause, reason: unknown): void {
    runInAttempt(this, () => this.aborts.abort(cause, reason));
  }

  #cancellationWith(error: unknown): "reported" | "unreported" | null {
    const cancellation = this.#hookCancellation;
    if (cancellation === null || cancellation.error !== error) return null;
    return cancellation.reported ? "reported" : "unreported";
  }

  async #perform(): Promise<WorkOutcome | undefined> {
    const { record, plan, services } = this;
    if (services.events.wanted("job_started")) {
      services.events.emit({ at: this.startedAt, kind: "job_started", job: this.row });
    }
    assertDecodable(() => identityOf(record));
    if (plan === null) throw this.#unknownKind();
    assertDecodable(() => assertJson(record));
    if (plan.outerMiddleware.length === 0) return this.#resume(plan);
    return runWorkMiddleware(plan.outerMiddleware, this.hookContext, () => this.#resume(plan));
  }

  /** The layer of resumable steps, between the worker's middleware and the client's. */
  async #resume(plan: AttemptPlan<Tx>): Promise<WorkOutcome | undefined> {
    if (this.record.metadata.includes(RESUMABLE_KEYS)) this.recorder.openProgress();
    const outcome =
      plan.innerMiddleware.length === 0
        ? await this.#workWithHooks(plan)
        : await runWorkMiddleware(plan.innerMiddleware, this.hookContext, () => this.#workWithHooks(plan));
    const progress = this.#recorder?.progress;
    return progress ? progress.resultOf(outcome) : outcome;
  }

  async #workWithHooks(plan: AttemptPlan<Tx>): Promise<WorkOutcome | undefined> {
    for (const beforeWork of plan.beforeWork) await beforeWork(this.hookContext);
    const { definition } = plan.registration;
    const job = plan.checksArgs
      ? withDecodedArgs<unknown>(this.row, await decodeArgs(definition, this.row.args, "work"))
      : null;
    const context = new AttemptHandlerContext<Tx>(this, job);
    this.#handlerContext = context;
    try {
      if (plan.afterWork.length === 0) return await this.#work(plan, context);
      return await runAfterHooks(plan.afterWork, context, this, () => this.#work(plan, context));
    } finally {
      this.#isOver = true;
      this.#deadline?.disarm();
    }
  }

  async #work(plan: AttemptPlan<Tx>, context: AttemptHandlerContext<Tx>): Promise<WorkOutcome | undefined> {
    const { registration } = plan;
    let returned: unknown;
    if (registration.type === "executor") returned = await this.#workOnExecutor(plan, registration.target, context);
    else {
      this.#armTimeout(plan.timeoutMs);
      const { handler } = registration;
      returned = await (typeof handler === "function" ? handler(context) : workMade(handler, context));
    }
    if (returned === undefined || isWorkOutcome(returned)) return returned;
    const from = `the handler of job kind ${JSON.stringify(this.record.kind)}`;
    throw new ValidationError(`${from} returned ${describeValue(returned)}; it must return nothing, or an outcome`);
  }

  #workOnExecutor(
    plan: AttemptPlan<Tx>,
    target: WorkExecutorTarget,
    context: AttemptHandlerContext<Tx>,
  ): Promise<unknown> {
    const { logger, jobStuckThresholdMs } = this.services;
    return runOnExecutor({
      jobId: this.record.id,
      target,
      // An executor knows nothing about jobs and transactions.
      context: context as unknown as WorkContext,
      abort: this.aborts,
      gracePeriod: durationOfMs(jobStuckThresholdMs),
      logger,
      onStarted: () => this.#armTimeout(plan.timeoutMs),
    });
  }

  #armTimeout(timeoutMs: number | null): void {
    if (timeoutMs === null || this.#isOver) return;
    const { deadlines, jobStuckThresholdMs } = this.services;
    this.#deadline = deadlines.arm(timeoutMs, () => {
      this.#abort("timeout", new JobTimeoutError(this.record.id, durationOfMs(timeoutMs)));
      this.#deadline = deadlines.arm(jobStuckThresholdMs, () => void this.#becomeStuck(timeoutMs));
    });
  }

  async #becomeStuck(timeoutMs: number): Promise<void> {
    this.#isStuck = true;
    if (await this.services.stuckAttempts.report(this.record, timeoutMs)) this.services.releaseSlot(this);
  }

  #unknownKind(): UnknownJobKindError {
    const { record, services } = this;
    services.logger.error(loggableJob(record), "no worker for the kind of a claimed job");
    return new UnknownJobKindError(record.kind);
  }
}

/** What a row's metadata contains if an earlier attempt stored progress. */
const RESUMABLE_KEYS = '"river:resumable_';

function runWithin<Tx>(attempt: AttemptRun<Tx>): Promise<AttemptEnd | null> {
  return runInAttempt(attempt, run<Tx>, attempt);
}

function run<Tx>(attempt: AttemptRun<Tx>): Promise<AttemptEnd | null> {
  return attempt.run();
}

async function workMade<Tx>(
  factory: WorkHandlerFactory<JobDefinition, Tx>,
  context: WorkContext<JobDefinition, Tx>,
): Promise<unknown> {
  const handler: unknown = await factory.createWorkHandler(context);
  if (typeof handler !== "function") {
    throw new ValidationError(`createWorkHandler must make a function, not ${describeValue(handler)}`);
  }
  return (handler as WorkHandler<JobDefinition, Tx>)(context);
}

/** The plan of the record's kind; null also when the kind is unreadable, with which the attempt fails. */
function planFor<Tx>(services: AttemptServices<Tx>, record: JobRecord): AttemptPlan<Tx> | null {
  try {
    return services.planOf(record.kind);
  } catch {
    return null;
  }
}

/** @throws ValidationError when a column that every attempt needs cannot be read. */
function assertDecodable(read: () => unknown): void {
  try {
    read();
  } catch (cause) {
    throw new ValidationError(`job row couldn't be decoded: ${canonicalError(cause).error}`, { cause });
  }
}

/** The columns without which nobody can be told which attempt this is. */
function identityOf({ kind, attempt }: JobRecord): readonly unknown[] {
  return [kind, attempt];
}

function assertJson(record: JobRecord): void {
  assertJsonObject(record.args, "args");
  assertJsonObject(record.metadata, "metadata");
}

/** The databases hold nothing but JSON in these columns, so one character tells objects from other values. */
function assertJsonObject(text: string, column: string): void {
  if (!text.startsWith("{")) throw new ValidationError(`${column} must hold a JSON object`);
}

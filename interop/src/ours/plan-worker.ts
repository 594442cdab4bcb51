/** The worker of this repository's peer: what an attempt does is written in its job's arguments, as for the other side. */
import {
  cancel,
  complete,
  defineJob,
  discard,
  type JobDefinition,
  type JsonObject,
  type JsonValue,
  snooze,
  type WorkContext,
  type WorkOutcome,
  Workers,
} from "riverqueue";
import type { PeerDatabase } from "./database.ts";
import { say } from "./protocol.ts";

/** One attempt. */
interface Step {
  readonly do: string;
  readonly message?: string;
  readonly ms?: number;
  readonly key?: string;
  readonly value?: JsonValue;
  readonly steps?: readonly ResumableStep[];
  readonly failIn?: string;
  readonly retryMs?: number;
  readonly rollback?: boolean;
  /** Do the step only when the attempt has been asked to stop. */
  readonly afterAbort?: boolean;
}

interface ResumableStep {
  readonly name: string;
  readonly cursor?: JsonValue;
  readonly checkpoint?: boolean;
}

/** The jobs that wait until they are released. */
const waiting = new Map<string, () => void>();

/** Ends the wait of a job. */
export function release(id: string): void {
  const end = waiting.get(id);
  if (end === undefined) throw new Error(`job ${id} does not wait`);
  end();
}

/** Workers of the kinds, all alike. */
export function planWorkers(kinds: readonly string[], database: PeerDatabase): Workers {
  const workers = new Workers();
  for (const kind of kinds) {
    workers.add(planned(kind), (context) => run(context, database), {
      retryPolicy: (job, now) => {
        const { retryMs } = stepOf(job.args, job.attemptedBy.length);
        // A time in the past asks for the default.
        return retryMs === undefined ? now.subtract({ hours: 1 }) : now.add({ milliseconds: retryMs });
      },
    });
  }
  return workers;
}

/** A definition whose arguments are any JSON object. */
export function planned(kind: string): AnyJob {
  return defineJob({ kind });
}

/** The step of the present attempt; the last one serves all later attempts. Claims count: a snooze gives its attempt back. */
function stepOf(args: JsonObject, claims: number): Step {
  const plan = (args["plan"] ?? []) as unknown as readonly Step[];
  return plan[Math.min(claims, plan.length) - 1] ?? { do: "complete" };
}

async function run(context: WorkContext<AnyJob>, database: PeerDatabase): Promise<WorkOutcome | undefined> {
  const { job } = context;
  const step = stepOf(job.args, job.attemptedBy.length);
  say({ event: "work", jobId: String(job.id), attempt: job.attempt, kind: job.kind, queue: job.queue });
  if (step.afterAbort === true) await wait(context).catch(() => {});
  switch (step.do) {
    case "complete":
      return complete();
    case "error":
      throw new Error(step.message);
    case "panic":
      throw new TypeError(step.message);
    case "snooze":
      return snooze({ milliseconds: step.ms ?? 0 });
    case "cancel":
      return cancel({ reason: step.message ?? "" });
    case "wait":
      await wait(context);
      return undefined;
    case "ignore":
      await wait(context).catch(() => {});
      return undefined;
    case "discard":
      return discard({ reason: step.message ?? "" });
    case "output":
      return complete({ output: step.value ?? null });
    case "outputThenError":
      context.recordOutput(step.value ?? null);
      throw new Error(step.message);
    case "metadata":
      context.setMetadata(step.key ?? "", step.value ?? null);
      return undefined;
    case "completeTx":
      await completeInTransaction(context, database, step.rollback === true);
      return undefined;
    case "steps":
      await resume(context, database, step);
      return undefined;
    default:
      throw new Error(`unknown step ${step.do}`);
  }
}

async function completeInTransaction(
  context: WorkContext<AnyJob>,
  database: PeerDatabase,
  rollback: boolean,
): Promise<void> {
  const transaction = await database.begin();
  await context.completeTx(transaction.tx);
  await (rollback ? transaction.rollback() : transaction.commit());
}

/** Runs the steps in order and fails in the one that is named, after its cursor has been set. */
async function resume({ job, resumable }: WorkContext<AnyJob>, database: PeerDatabase, plan: Step): Promise<void> {
  const advance = async ({ name, cursor, checkpoint }: ResumableStep, held: JsonValue): Promise<void> => {
    say({ event: "step", jobId: String(job.id), detail: { name, cursor: held } });
    if (checkpoint === true) {
      const transaction = await database.begin();
      await resumable.checkpoint({ tx: transaction.tx, ...(cursor !== undefined && { cursor }) });
      await transaction.commit();
    } else if (cursor !== undefined) resumable.setCursor(cursor);
    if (name === plan.failIn) throw new Error(`failed in ${name}`);
  };
  for (const step of plan.steps ?? []) {
    if (step.cursor === undefined) await resumable.step(step.name, () => advance(step, null));
    else await resumable.stepWithCursor(step.name, (held) => advance(step, held));
  }
}

/** Ends when the job is released, and throws the reason when it is aborted. */
function wait({ job, signal }: WorkContext<AnyJob>): Promise<void> {
  const id = String(job.id);
  return new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      say({ event: "aborted", jobId: id, detail: String(signal.reason) });
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
    waiting.set(id, resolve);
    say({ event: "waiting", jobId: id, attempt: job.attempt });
    if (signal.aborted) abort();
  }).finally(() => waiting.delete(id));
}

/** A definition without a schema. */
export type AnyJob = JobDefinition<JsonObject, JsonObject>;

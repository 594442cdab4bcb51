/** The handler of a fleet's jobs: writes down that it was called, works a while, and ends as planned. */
import { setTimeout as pause } from "node:timers/promises";
import { cancel, complete, discard, snooze, type WorkContext, type WorkOutcome } from "riverqueue";
import { aborted } from "../aborted.ts";
import { type AttemptPlan, attemptPlan } from "./attempt-plan.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { fleetJob } from "./fleet-job.ts";
import type { FleetTiming } from "./fleet-timing.ts";

type Context = WorkContext<typeof fleetJob>;

/** How often a late handler looks whether its attempt has been lost, in milliseconds. */
const LOOK_MS = 100;

/** See the file header. */
export class FleetHandler {
  readonly #seed: string;
  readonly #timing: FleetTiming;
  readonly #recorder: CallRecorder;
  #calls = 0;

  constructor(seed: string, timing: FleetTiming, recorder: CallRecorder) {
    this.#seed = seed;
    this.#timing = timing;
    this.#recorder = recorder;
  }

  /** Works one attempt. */
  async work(context: Context): Promise<WorkOutcome | undefined> {
    const { job, execution, setMetadata } = context;
    const plan = planOf(this.#seed, job);
    const token = `${execution.attemptedBy}/${this.#calls++}`;
    await this.#recorder.record({
      token,
      jobId: job.id,
      attempt: job.attempt,
      clientId: execution.attemptedBy,
      end: plan.end,
    });
    setMetadata("token", token);
    await pause(plan.work * this.#timing.longestWorkMs);
    return this.#end(context, plan, token);
  }

  async #end({ client, job, signal }: Context, plan: AttemptPlan, token: string): Promise<WorkOutcome | undefined> {
    switch (plan.end) {
      case "complete":
        return undefined;
      case "output":
        return complete({ output: token });
      case "snooze":
        return snooze({ milliseconds: Math.floor(plan.delay * this.#timing.longestDelayMs) });
      case "discard":
        return discard({ reason: token });
      case "cancel":
        return cancel({ reason: token });
      case "fault":
        throw new TypeError(token);
      case "throw":
        throw new Error(token);
      case "remote":
        await client.jobs.cancel(job.id);
        throw await aborted(signal);
      case "hang":
        throw await aborted(signal);
      default:
        await lost(client, job);
        return undefined;
    }
  }
}

/** When the job of a failed or rescued attempt runs again. */
export function fleetRetryTime(
  seed: string,
  timing: FleetTiming,
  job: Pick<Context["job"], "args" | "attempt" | "metadata">,
  now: Temporal.Instant,
): Temporal.Instant {
  return now.add({ milliseconds: Math.floor(planOf(seed, job).delay * timing.longestDelayMs) });
}

function planOf(seed: string, job: Pick<Context["job"], "args" | "attempt" | "metadata">): AttemptPlan {
  return attemptPlan(seed, job.args.n, `${job.attempt} ${JSON.stringify(job.metadata["snoozes"] ?? 0)}`);
}

/** Resolves when the job is no longer this attempt's. */
async function lost(client: Context["client"], { id, attempt }: Context["job"]): Promise<void> {
  for (;;) {
    const row = await client.jobs.get(id);
    if (row === null || row.state !== "running" || row.attempt !== attempt) return;
    await pause(LOOK_MS);
  }
}

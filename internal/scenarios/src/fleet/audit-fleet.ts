/** Holds what a fleet wrote down against what its attempts were going to do. Pure; every sentence is a fault. */
import type { AttemptEnd } from "./attempt-plan.ts";
import type { FleetCall, FleetJob, FleetRecord, FleetStep } from "./fleet-store.ts";

const FINAL = new Set(["cancelled", "completed", "discarded"]);
const RETRIED = ["available", "discarded", "retryable"];

/** States that an attempt may leave its job in, by what it did. */
const STATES: Readonly<Record<AttemptEnd, readonly string[]>> = {
  cancel: ["cancelled"],
  complete: ["completed"],
  discard: ["discarded"],
  fault: RETRIED,
  hang: RETRIED,
  late: ["completed"],
  output: ["completed"],
  // On a busy machine the last attempt may time out before its own request is written, and a mark undoes no discard.
  remote: ["cancelled", "discarded"],
  snooze: ["available", "scheduled"],
  throw: RETRIED,
};
/** Those that record an error. */
const FAILING = new Set<AttemptEnd>(["cancel", "discard", "fault", "hang", "remote", "throw"]);

/** See {@link auditFleet}. */
export interface FleetAudit {
  readonly faults: readonly string[];
  /** How often what a run is for has happened. */
  readonly seen: {
    readonly settled: number;
    readonly rescuedFromKilled: number;
    readonly rescuedFromLiving: number;
    /** Calls that were about to finish an attempt that its process had lost. */
    readonly lateResults: number;
  };
}

/**
 * - Every job ends in a final state, and as its last counted attempt says; nothing leaves a final state.
 * - A state is only ever written by the attempt that owns the job, once, or by the rescuer.
 * - Errors and attempts are counted once each.
 *
 * @param expected - number of jobs inserted.
 */
export function auditFleet(record: FleetRecord, killed: ReadonlySet<string>, expected: number): FleetAudit {
  const faults: string[] = [];
  const seen = { settled: 0, rescuedFromKilled: 0, rescuedFromLiving: 0, lateResults: 0 };
  if (record.jobs.length !== expected)
    faults.push(`${expected} jobs were inserted, and there are ${record.jobs.length}`);
  const calls = Map.groupBy(record.calls, ({ jobId }) => jobId);
  const steps = Map.groupBy(record.steps, ({ jobId }) => jobId);
  for (const job of record.jobs) {
    const history = new JobHistory(job, calls.get(job.id) ?? [], steps.get(job.id) ?? []);
    faults.push(...history.audit().map((fault) => `job ${job.id}: ${fault}`));
    seen.settled += history.settled.size;
    for (const { clientId } of history.rescues) {
      seen[killed.has(clientId ?? "") ? "rescuedFromKilled" : "rescuedFromLiving"]++;
    }
    seen.lateResults += history.calls.filter(({ end, token }) => end === "late" && !history.settled.has(token)).length;
  }
  return { faults, seen };
}

/** What happened to one job, in order. */
class JobHistory {
  /** Tokens of the attempts that wrote a state. */
  readonly settled: Set<string> = new Set();
  readonly calls: readonly FleetCall[];
  readonly #job: FleetJob;
  readonly #steps: readonly FleetStep[];
  readonly #byToken: ReadonlyMap<string, FleetCall>;
  /** Somebody asked for its cancellation, so that it may be cancelled in any state. */
  readonly #marked: boolean;
  readonly #faults: string[] = [];

  constructor(job: FleetJob, calls: readonly FleetCall[], steps: readonly FleetStep[]) {
    this.#job = job;
    this.calls = calls;
    this.#steps = steps;
    this.#byToken = new Map(calls.map((call) => [call.token, call]));
    this.#marked = calls.some(({ end }) => end === "remote");
  }

  get rescues(): FleetStep[] {
    return this.#steps.filter(({ rescued }) => rescued);
  }

  audit(): readonly string[] {
    let state = "available";
    for (const step of this.#steps) {
      this.#hold(step.from === state, `was ${state}, and became ${step.to} from ${step.from}`);
      this.#hold(!FINAL.has(step.from), `left the final state ${step.from} for ${step.to}`);
      if (step.from === "running") this.#auditEnd(step);
      else this.#auditOther(step);
      state = step.to;
    }
    this.#hold(state === this.#job.state, `is ${this.#job.state} after ${state}`);
    this.#hold(FINAL.has(this.#job.state), `ended ${this.#job.state}`);
    this.#auditCalls();
    this.#auditCounts();
    return this.#faults;
  }

  #auditOther({ from, to }: FleetStep): void {
    const allowed =
      to === "running" ? from === "available" : to === "available" || (to === "cancelled" && this.#marked);
    this.#hold(allowed, `became ${to} from ${from}`);
  }

  #auditEnd(step: FleetStep): void {
    const { to, rescued, attempt, clientId, token } = step;
    if (rescued) return this.#hold([...FINAL, "retryable"].includes(to) && to !== "completed", `was rescued to ${to}`);
    const call = this.#byToken.get(token ?? "");
    if (call === undefined) return this.#hold(false, `became ${to}, and no call says so`);
    const owns = call.attempt === attempt && call.clientId === clientId;
    this.#hold(
      owns,
      `became ${to} by ${call.token} of attempt ${call.attempt}, and belonged to ${clientId}, ${attempt}`,
    );
    this.#hold(!this.settled.has(call.token), `became ${to} by ${call.token}, which had ended`);
    const fits = STATES[call.end].includes(to) || (this.#marked && to === "cancelled");
    this.#hold(fits, `became ${to} by ${call.token}, which was to ${call.end}`);
    this.settled.add(call.token);
  }

  /** A handler is called for a claim, once. */
  #auditCalls(): void {
    const claims = new Map<string, number>();
    for (const step of this.#steps.filter(({ to }) => to === "running")) {
      claims.set(ownerOf(step), (claims.get(ownerOf(step)) ?? 0) + 1);
    }
    for (const call of this.calls) {
      const left = claims.get(ownerOf(call)) ?? 0;
      this.#hold(left > 0, `${call.token} was called without a claim`);
      claims.set(ownerOf(call), left - 1);
    }
  }

  #auditCounts(): void {
    const { attempt, errors, output, state } = this.#job;
    const ends = [...this.settled].map((token) => this.#byToken.get(token)?.end ?? "complete");
    const claims = this.#steps.filter(({ to }) => to === "running").length;
    const givenBack = ends.filter((end) => end === "snooze").length;
    const failures = ends.filter((end) => FAILING.has(end)).length + this.rescues.length;
    // An attempt that was to snooze a cancelled job gives nothing back, and may record why.
    if (!this.#marked) {
      this.#hold(
        attempt === claims - givenBack,
        `counts ${attempt} attempts after ${claims} claims, ${givenBack} snoozed`,
      );
      this.#hold(errors === failures, `has ${errors} errors after ${failures} failures`);
    }
    if (state !== "completed") return;
    const last = this.#byToken.get(this.#steps.at(-1)?.token ?? "");
    this.#hold(
      this.#job.token === last?.token,
      `carries the mark of ${this.#job.token}, and was completed by ${last?.token}`,
    );
    if (last?.end === "output") this.#hold(output === last.token, `has the output ${output} instead of ${last.token}`);
    else if (output !== null) {
      // What an attempt recorded before it was lost is kept until another one records the same.
      const lost = this.#byToken.get(output)?.end === "output" && !this.settled.has(output);
      this.#hold(lost, `has the output ${output}, which nobody left there`);
    }
  }

  #hold(holds: boolean, fault: string): void {
    if (!holds) this.#faults.push(fault);
  }
}

/** Names the attempt that a claim begins, as far as claims of one job can be told apart. */
function ownerOf({ attempt, clientId }: Pick<FleetCall, "attempt"> & { readonly clientId: string | null }): string {
  return `${attempt} ${clientId}`;
}

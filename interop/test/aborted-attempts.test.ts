/** Attempts that are asked to stop: the truth tables of the runtime with the column of River for Go, on both databases. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { JobRowJson } from "riverqueue";
import { interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import type { PeerSide } from "../src/peer-values.ts";
import { type AttemptPlan, plannedJob } from "../src/planned-job.ts";

failOnLeaks();

type Cause = "cancellation" | "shutdown" | "timeout";

/** What is stored and told of an attempt. */
interface Outcome {
  readonly state: JobRowJson["state"];
  readonly attempt?: number;
  readonly error?: RegExp;
  readonly trace?: boolean;
  readonly event: string;
}

interface Row {
  readonly title: string;
  readonly cause: Cause;
  readonly step: AttemptPlan;
  readonly maxAttempts?: number;
  readonly ours: Outcome;
  /** Absent where Go does the same, null where it has nothing like it. */
  readonly go?: Outcome | null;
}

const HOUR = 3_600_000;
const COMPLETED: Outcome = { state: "completed", event: "job_completed" };
const CANCELLED: Outcome = {
  state: "cancelled",
  error: /^JobCancelError: job cancelled remotely$/,
  event: "job_cancelled",
};
const FAILED: Outcome = { state: "retryable", error: /^boom$/, event: "job_failed" };
const FAULT: Outcome = { ...FAILED, trace: true };
const SNOOZED: Outcome = { state: "scheduled", attempt: 0, event: "job_snoozed" };
const BY_ITSELF: Outcome = { state: "cancelled", error: /^JobCancelError: mine$/, event: "job_cancelled" };
const DISCARDED: Outcome = { state: "discarded", error: /^spam$/, event: "job_failed" };

const succeeds: AttemptPlan = { do: "complete", afterAbort: true };
const stops: AttemptPlan = { do: "wait", retryMs: HOUR };
const fails: AttemptPlan = { do: "error", message: "boom", retryMs: HOUR, afterAbort: true };
const breaks: AttemptPlan = { do: "panic", message: "boom", retryMs: HOUR, afterAbort: true };
const snoozes: AttemptPlan = { do: "snooze", ms: HOUR, afterAbort: true };
const cancels: AttemptPlan = { do: "cancel", message: "mine", afterAbort: true };
const discards: AttemptPlan = { do: "discard", message: "spam", afterAbort: true };

const ROWS: readonly Row[] = [
  { title: "A.2 row 1: success", cause: "cancellation", step: succeeds, ours: COMPLETED },
  { title: "A.2 row 2: snooze", cause: "cancellation", step: snoozes, ours: CANCELLED },
  { title: "A.2 row 3: discard", cause: "cancellation", step: discards, ours: CANCELLED, go: null },
  { title: "A.2 row 4: cancel", cause: "cancellation", step: cancels, ours: CANCELLED },
  { title: "A.2 row 5: stopped by the abort", cause: "cancellation", step: stops, ours: CANCELLED },
  { title: "A.2 row 6: genuine error", cause: "cancellation", step: fails, ours: CANCELLED },
  {
    title: "A.2 row 6: genuine error in the last attempt",
    cause: "cancellation",
    step: fails,
    maxAttempts: 1,
    ours: CANCELLED,
  },
  {
    title: "A.2 row 7: runtime fault",
    cause: "cancellation",
    step: breaks,
    ours: { ...FAULT, state: "cancelled", event: "job_cancelled" },
  },
  {
    title: "A.2 row 7: runtime fault in the last attempt",
    cause: "cancellation",
    step: breaks,
    maxAttempts: 1,
    ours: { ...FAULT, state: "cancelled", event: "job_cancelled" },
    go: { ...FAULT, state: "discarded" },
  },
  { title: "A.3 row 1: success", cause: "timeout", step: succeeds, ours: COMPLETED },
  {
    title: "A.3 row 2: stopped by the abort",
    cause: "timeout",
    step: stops,
    ours: { ...FAILED, error: /^job \d+ exceeded its timeout of PT0\.5S$/ },
    go: { ...FAILED, error: /^context deadline exceeded$/ },
  },
  { title: "A.3 row 3: other error", cause: "timeout", step: fails, ours: FAILED },
  { title: "A.3 row 3: runtime fault", cause: "timeout", step: breaks, ours: FAULT },
  { title: "A.3 row 4: snooze", cause: "timeout", step: snoozes, ours: SNOOZED },
  { title: "A.3 row 4: discard", cause: "timeout", step: discards, ours: DISCARDED, go: null },
  { title: "A.3 row 4: cancel", cause: "timeout", step: cancels, ours: BY_ITSELF },
  { title: "A.4 row 1: success", cause: "shutdown", step: succeeds, ours: COMPLETED },
  {
    title: "A.4 row 2: stopped by the abort",
    cause: "shutdown",
    step: stops,
    ours: { state: "available", attempt: 0, event: "job_interrupted" },
  },
  { title: "A.4 row 3: genuine error", cause: "shutdown", step: fails, ours: FAILED },
  { title: "A.4 row 3: runtime fault", cause: "shutdown", step: breaks, ours: FAULT },
  { title: "A.4 row 4: snooze", cause: "shutdown", step: snoozes, ours: SNOOZED },
  { title: "A.4 row 4: discard", cause: "shutdown", step: discards, ours: DISCARDED, go: null },
  { title: "A.4 row 4: cancel", cause: "shutdown", step: cancels, ours: BY_ITSELF },
];

/** Asks the attempts of the jobs to stop. */
const ABORT: Readonly<Record<Cause, (worker: Peer, ids: readonly string[]) => Promise<unknown>>> = {
  cancellation: async (worker, ids) => Promise.all(ids.map((id) => worker.call("cancel", { id }))),
  shutdown: async (worker) => worker.call("stopAndCancel"),
  timeout: () => Promise.resolve(),
};

for (const side of ["ours", "go"] as const) {
  for (const cause of ["cancellation", "timeout", "shutdown"] as const) {
    interopTest(
      `A.${table(cause)} attempts of ${side} after a ${cause} end as the truth table says`,
      async (_, { peer }) => {
        const rows = ROWS.filter((row) => row.cause === cause && expected(row, side) !== null);
        const reader = await peer("ours");
        await reader.open();
        const worker = await peer(side);
        await worker.work({
          queues: { default: rows.length },
          kinds: ["task"],
          ...(cause === "timeout" && { jobTimeoutMs: 500 }),
        });
        const ids: string[] = [];
        for (const { step, maxAttempts } of rows) {
          const { job } = await reader.insert(
            plannedJob("task", [step], maxAttempts === undefined ? {} : { maxAttempts }),
          );
          ids.push(job.id);
        }
        if (cause !== "timeout") for (const id of ids) await worker.whenJob("waiting", id);
        await ABORT[cause](worker, ids);
        for (const [index, row] of rows.entries()) await assertEnd(worker, reader, ids[index] ?? "", row);
        if (cause !== "shutdown") await worker.call("stop");
      },
    );
  }
}

async function assertEnd(worker: Peer, reader: Peer, id: string, row: Row): Promise<void> {
  const outcome = expected(row, worker.side);
  assert.ok(outcome);
  const label = `${row.title}, by ${worker.side}`;
  await worker.when(({ event, jobId }) => jobId === id && isEnd(event));
  assert.deepEqual(worker.about(id).filter(isEnd), [outcome.event], label);
  const job = await reader.get(id);
  assert.ok(job);
  assert.deepEqual([job.state, job.attempt], [outcome.state, outcome.attempt ?? 1], label);
  assert.equal(job.errors.length, outcome.error === undefined ? 0 : 1, label);
  const [error] = job.errors;
  if (outcome.error !== undefined) assert.match(error?.error ?? "", outcome.error, label);
  assert.equal((error?.trace ?? "") !== "", outcome.trace ?? false, label);
}

function isEnd(event: string): boolean {
  return event.startsWith("job_") && event !== "job_started";
}

function expected({ ours, go = ours }: Row, side: PeerSide): Outcome | null {
  return side === "ours" ? ours : go;
}

function table(cause: Cause): number {
  return { cancellation: 2, timeout: 3, shutdown: 4 }[cause];
}

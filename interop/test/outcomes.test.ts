/** Ends of attempts: for the same handler both sides leave the same row and report the same event. */
import assert from "node:assert/strict";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import type { JobRowJson } from "riverqueue";
import { interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import { DIRECTIONS, type PeerJobSpec } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";
import { rowText, UNIQUE_NONCE } from "../src/row-text.ts";

failOnLeaks();

interface OutcomeCase {
  readonly spec: PeerJobSpec;
  /** Reported at the ends of its attempts, in order. */
  readonly events: readonly string[];
  readonly state: JobRowJson["state"];
  readonly attempt: number;
  readonly errors?: readonly string[];
  readonly hasTrace?: boolean;
  readonly metadata?: object;
}

const HOUR = 3_600_000;

const CASES: Readonly<Record<string, OutcomeCase>> = {
  complete: {
    spec: plannedJob("task", [{ do: "complete" }]),
    events: ["job_completed"],
    state: "completed",
    attempt: 1,
  },
  "an error, then success": {
    spec: plannedJob("task", [{ do: "error", message: "boom", retryMs: 0 }, { do: "complete" }]),
    events: ["job_failed", "job_completed"],
    state: "completed",
    attempt: 2,
    errors: ["boom"],
  },
  "an error, retried much later": {
    spec: plannedJob("task", [{ do: "error", message: "boom", retryMs: HOUR }]),
    events: ["job_failed"],
    state: "retryable",
    attempt: 1,
    errors: ["boom"],
  },
  "an error on the last attempt": {
    spec: plannedJob(
      "task",
      [
        { do: "error", message: "first", retryMs: 0 },
        { do: "error", message: "second" },
      ],
      { maxAttempts: 2 },
    ),
    events: ["job_failed", "job_failed"],
    state: "discarded",
    attempt: 2,
    errors: ["first", "second"],
  },
  "a panic, or a fault of JavaScript": {
    spec: plannedJob("task", [{ do: "panic", message: "out of order", retryMs: HOUR }]),
    events: ["job_failed"],
    state: "retryable",
    attempt: 1,
    errors: ["out of order"],
    hasTrace: true,
  },
  "a snooze within the near future, then success": {
    spec: plannedJob("task", [{ do: "snooze", ms: 0 }, { do: "snooze", ms: 1 }, { do: "complete" }]),
    events: ["job_snoozed", "job_snoozed", "job_completed"],
    state: "completed",
    attempt: 1,
    metadata: { snoozes: 2 },
  },
  "a long snooze": {
    spec: plannedJob("task", [{ do: "snooze", ms: HOUR }]),
    events: ["job_snoozed"],
    state: "scheduled",
    attempt: 0,
    metadata: { snoozes: 1 },
  },
  "a snooze on the only attempt": {
    spec: plannedJob("task", [{ do: "snooze", ms: 0 }, { do: "complete" }], { maxAttempts: 1 }),
    events: ["job_snoozed", "job_completed"],
    state: "completed",
    attempt: 1,
    metadata: { snoozes: 1 },
  },
  "a cancel from inside": {
    spec: plannedJob("task", [{ do: "cancel", message: "enough" }]),
    events: ["job_cancelled"],
    state: "cancelled",
    attempt: 1,
    errors: ["JobCancelError: enough"],
  },
  output: {
    spec: plannedJob("task", [{ do: "output", value: { z: [1, "<b>"], a: null } }], { metadata: { keep: 1 } }),
    events: ["job_completed"],
    state: "completed",
    attempt: 1,
    metadata: { keep: 1, output: { z: [1, "<b>"], a: null } },
  },
  "output of an attempt that fails": {
    spec: plannedJob("task", [{ do: "outputThenError", value: "half", message: "boom", retryMs: HOUR }]),
    events: ["job_failed"],
    state: "retryable",
    attempt: 1,
    errors: ["boom"],
    metadata: { output: "half" },
  },
  "metadata that replaces a nested value as a whole": {
    spec: plannedJob("task", [{ do: "metadata", key: "progress", value: { page: 2, none: null } }], {
      metadata: { progress: { page: 1, total: 9 }, keep: { a: null } },
    }),
    events: ["job_completed"],
    state: "completed",
    attempt: 1,
    metadata: { progress: { page: 2, none: null }, keep: { a: null } },
  },
  "completion in the handler's transaction": {
    spec: plannedJob("task", [{ do: "completeTx" }]),
    events: ["job_completed"],
    state: "completed",
    attempt: 1,
  },
  "completion in a transaction that the handler rolls back, and success": {
    spec: plannedJob("task", [{ do: "completeTx", rollback: true }]),
    events: ["job_completed"],
    state: "completed",
    attempt: 1,
  },
};

async function worked(peer: Peer, producer: Peer, { spec, events }: OutcomeCase): Promise<JobRowJson> {
  const { job } = await producer.insert(spec);
  await peer.when(() => events.every((_, index) => endsOf(peer, job.id).length > index));
  assert.deepEqual(endsOf(peer, job.id), events);
  const row = await producer.get(job.id);
  assert(row);
  return row;
}

function endsOf(peer: Peer, jobId: string): string[] {
  return peer.about(jobId).filter((event) => event.startsWith("job_") && event !== "job_started");
}

/** To the millisecond, to which one side rounds times and the other cuts them off. */
function notBefore(time: string, other: string): boolean {
  return Temporal.Instant.from(other).until(Temporal.Instant.from(time)).total("milliseconds") >= -1;
}

interopTest(
  "for the same handler both sides leave the same row and report the same event",
  async (_, { peer, backend }) => {
    const rows = new Map<string, JobRowJson[]>();
    for (const [from, to] of DIRECTIONS) {
      const producer = await peer(from);
      await producer.open();
      const worker = await peer(to);
      await worker.work({ clientId: "worker", queues: { default: 10 }, kinds: ["task"], pollIntervalMs: 200 });
      for (const [name, each] of Object.entries(CASES)) {
        const row = await worked(worker, producer, each);
        const label = `${name}, worked by ${to}`;
        assert.equal(row.state, each.state, label);
        assert.equal(row.attempt, each.attempt, label);
        assert.deepEqual(
          row.errors.map(({ error }) => error),
          each.errors ?? [],
          label,
        );
        assert.equal(
          row.errors.some(({ trace }) => trace !== ""),
          each.hasTrace === true,
          label,
        );
        const { [UNIQUE_NONCE]: nonce, ...metadata } = row.metadata;
        assert.deepEqual(plain(metadata), each.metadata ?? {}, label);
        assert.equal(nonce !== undefined, backend === "sqlite" && from === "go", label);
        for (const { at, attempt } of row.errors) assert(notBefore(at, row.createdAt) && attempt <= row.attempt, label);
        rows.set(name, [...(rows.get(name) ?? []), row]);
      }
      await worker.call("stop");
    }
    for (const [name, [one, other]] of rows) {
      assert(one && other);
      const columns = ["id", "createdAt", "scheduledAt", "attemptedAt", "finalizedAt", "errors"] as const;
      const texts = [one, other].map((row) => rowText(row, { columns, metadata: [UNIQUE_NONCE], order: false }));
      assert.equal(texts[0], texts[1], name);
      assert.equal(one.finalizedAt === null, other.finalizedAt === null, name);
    }
  },
);

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `a job that ${from} has interrupted by stopping costs no attempt and is worked by ${to}`,
    async (_, { peer }) => {
      const first = await peer(from);
      await first.work({ clientId: "first", queues: { default: 2 }, kinds: ["task"] });
      const { job } = await first.insert(plannedJob("task", [{ do: "wait" }, { do: "complete" }], { maxAttempts: 1 }));
      await first.whenJob("waiting", job.id);
      await first.call("stopAndCancel");
      const row = await first.get(job.id);
      assert.deepEqual([row?.state, row?.attempt, row?.errors], ["available", 0, []]);
      assert.deepEqual(endsOf(first, job.id), ["job_interrupted"]);
      const second = await peer(to);
      await second.work({ clientId: "second", queues: { default: 2 }, kinds: ["task"] });
      await second.whenJob("job_completed", job.id);
      assert.deepEqual((await first.get(job.id))?.attemptedBy, ["first", "second"]);
      await second.call("stop");
    },
  );

  interopTest(
    `a kind that ${to} does not know fails with the same words, and is left alone with fetchOnlyKnownKinds`,
    async (_, { peer }) => {
      const producer = await peer(from);
      await producer.open();
      const { job: known } = await producer.insert({ kind: "known" });
      const { job: unknown } = await producer.insert({ kind: "unknown" });
      const modest = await peer(to);
      const settings = { queues: { default: 5 }, kinds: ["known", "other"], leaderElectionDisabled: true };
      await modest.work({ ...settings, fetchOnlyKnownKinds: true });
      await modest.whenJob("job_completed", known.id);
      await modest.call("stop");
      const left = await producer.get(unknown.id);
      assert.deepEqual([left?.state, left?.attempt], ["available", 0]);

      const bold = await peer(to);
      await bold.work(settings);
      await bold.whenJob("job_failed", unknown.id);
      const failed = await producer.get(unknown.id);
      assert.equal(failed?.errors[0]?.error, "job kind is not registered in the client's Workers bundle: unknown");
      assert.deepEqual([failed.state, failed.attempt], ["available", 1]);
      await bold.call("stop");
    },
  );
}

interopTest("a discard, which Go does not have, is a discarded job to Go, and Go may retry it", async (_, { peer }) => {
  const go = await peer("go");
  await go.open();
  const ours = await peer("ours");
  await ours.work({ queues: { default: 1 }, kinds: ["task"], pollIntervalMs: 200 });
  const { job } = await go.insert(plannedJob("task", [{ do: "discard", message: "useless" }, { do: "complete" }]));
  await ours.when(({ event, jobId, state }) => event === "job_failed" && jobId === job.id && state === "discarded");
  const row = await go.get(job.id);
  assert.deepEqual([row?.state, row?.attempt, row?.maxAttempts, row?.errors.length], ["discarded", 1, 25, 1]);
  await go.call("retry", { id: job.id });
  await ours.whenJob("job_completed", job.id);
  await ours.call("stop");
});

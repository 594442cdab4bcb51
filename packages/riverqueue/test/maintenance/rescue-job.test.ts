/** What a rescue writes. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock, plain } from "@riverqueue/internal-test-kit";
import type { StuckJobPolicy } from "../../src/maintenance/stuck-job-policy.ts";
import { type DecidedRescue, rescueJob } from "../../src/maintenance/rescue-job.ts";
import type { JobRecord } from "../../src/model/job-record.ts";
import { withDecodedArgs } from "../../src/model/job-row-view.ts";

const clock = new ManualClock("2026-01-02T03:04:05.678Z");
const now = clock.now();
const byWorker = now.add({ hours: 1 });
const byClient = now.add({ hours: 2 });

const policy: StuckJobPolicy = {
  workerOf: (kind) =>
    kind === "unknown"
      ? null
      : {
          timeoutMs: 60_000,
          decode: (job) => {
            if (kind === "undecodable") throw new Error("bad arguments");
            if (kind === "hanging") return new Promise(() => {});
            return withDecodedArgs(job, job.args);
          },
          retryTime: () => byWorker,
        },
  retryTime: () => byClient,
};

function record(overrides: Partial<JobRecord> = {}): JobRecord {
  return {
    id: 7n,
    kind: "known",
    queue: "default",
    state: "running",
    priority: 1,
    attempt: 3,
    maxAttempts: 25,
    args: "{}",
    metadata: "{}",
    errors: "[]",
    tags: [],
    attemptedBy: ["gone"],
    createdAt: now,
    scheduledAt: now,
    attemptedAt: now.subtract({ hours: 2 }),
    finalizedAt: null,
    uniqueKey: null,
    uniqueStates: null,
    ...overrides,
  };
}

function rescue(overrides: Partial<JobRecord>, signal = new AbortController().signal): Promise<DecidedRescue | null> {
  return rescueJob(record(overrides), { clock, policy, now, signal });
}

const error = '{"at":"2026-01-02T03:04:05.678Z","attempt":3,"error":"Stuck job rescued by JobRescuer","trace":""}';

test("a stuck job is retried when its worker's policy says, with the text that operators look for", async () => {
  const decided = await rescue({});
  assert.deepEqual(plain(decided), {
    unknownKind: false,
    rescue: {
      id: "7n",
      state: "retryable",
      finalizedAt: null,
      scheduledAt: byWorker.toString(),
      error,
      metadata: '{"river:rescue_count":1}',
    },
  });
});

test("undecodable arguments, and those whose decoder hangs, follow the client's policy", async () => {
  assert.equal((await rescue({ kind: "undecodable" }))?.rescue.scheduledAt?.toString(), byClient.toString());
  const hanging = rescue({ kind: "hanging" });
  await clock.advance(30_000);
  assert.equal((await hanging)?.rescue.scheduledAt?.toString(), byClient.toString());
});

test("unknown kinds are discarded and reported, jobs without attempts left are discarded", async () => {
  const unknown = await rescue({ kind: "unknown" });
  assert.equal(unknown?.unknownKind, true);
  assert.equal(unknown.rescue.state, "discarded");
  assert.equal(unknown.rescue.finalizedAt?.toString(), now.toString());
  assert.equal(unknown.rescue.scheduledAt, null);
  const last = await rescue({ attempt: 25 });
  assert.equal(last?.rescue.state, "discarded");
  assert.equal(last.unknownKind, false);
});

test("a cancellation that was asked for is carried out, whatever the kind", async () => {
  const metadata = '{"cancel_attempted_at":"2026-01-02T01:00:00Z"}';
  for (const kind of ["known", "unknown", "undecodable"]) {
    const decided = await rescue({ kind, metadata });
    assert.equal(decided?.rescue.state, "cancelled");
    assert.equal(decided.unknownKind, false);
  }
  for (const value of ['"0001-01-01T00:00:00Z"', '"soon"', "true", "null"]) {
    const decided = await rescue({ metadata: `{"cancel_attempted_at":${value}}` });
    assert.equal(decided?.rescue.state, "retryable");
  }
});

test("a job within its timeout is left alone", async () => {
  assert.equal(await rescue({ attemptedAt: now.subtract({ seconds: 59 }) }), null);
});

test("rescues are counted, and a count that is no whole number starts anew", async () => {
  const counts: readonly [stored: string, written: number][] = [
    ["41", 42],
    ["0", 1],
    ["-1", 0],
    ["1.5", 1],
    ['"3"', 1],
    ["null", 1],
    ["1e300", 1],
    ["123456789012345678901234567890", 1],
  ];
  for (const [stored, written] of counts) {
    const decided = await rescue({ metadata: `{"river:rescue_count":${stored}}` });
    assert.equal(decided?.rescue.metadata, `{"river:rescue_count":${written}}`);
  }
});

test("unreadable metadata is an error of that job", async () => {
  await assert.rejects(rescue({ metadata: "{" }), { name: "JsonValueError" });
});

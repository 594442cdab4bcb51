/** Figures for dashboards and probes, each bounded by a cap and a time. */
import assert from "node:assert/strict";
import { sameInstant } from "@riverqueue/internal-test-kit";
import { JOB_STATES } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { databaseError } from "./database-error.ts";
import { endOf, fromNow, longAgo } from "./job-values.ts";
import type { Subject } from "./subject.ts";

const BOUNDS = { cap: 100, timeoutMs: 30_000 };
const MINUTE_MS = 60_000;

export function inspectTests(test: ConformanceTest): void {
  test("an empty database has nothing to count", inspectsNothing);
  test("jobs are counted by state, up to the cap", countsStates);
  test("queues are those that have a row or work, by name, with their backlog", showsQueues);
  test("a backlog is counted up to the cap", capsBacklogs);
  test("the job that has waited longest is found across priorities", findsTheOldest);
  test("finished jobs are counted per minute, without gaps, the present minute last", showsThroughput);
  test("running jobs are counted by the client that claimed them last, most first", showsClients);
  test("a figure that takes longer than its time fails and may be asked again", respectsTime);
}

async function inspectsNothing(subject: Subject): Promise<void> {
  const counts = await subject.inspect.counts(BOUNDS);
  assert.deepEqual(
    counts.map((count) => ({ ...count })).toSorted((a, b) => (a.state < b.state ? -1 : 1)),
    JOB_STATES.map((state) => ({ state, count: 0, about: false })),
  );
  assert.deepEqual(await subject.inspect.queues({ ...BOUNDS, limit: 9 }), []);
  assert.deepEqual(await subject.inspect.clients({ ...BOUNDS, limit: 9 }), []);
  assert.equal((await subject.inspect.throughput({ ...BOUNDS, minutes: 2 })).length, 2);
}

async function countsStates(subject: Subject): Promise<void> {
  await subject.add({}, {}, {}, { queue: "q2", priority: 3 }, { scheduledAt: fromNow(60_000) }, { state: "pending" });
  await subject.settle(endOf(await subject.claimOne()));
  await subject.claimOne();
  for (const [cap, available] of [
    [2, [2, true]],
    [3, [3, false]],
    [100, [3, false]],
  ] as const) {
    const counts = await subject.inspect.counts({ ...BOUNDS, cap });
    const byState = Object.fromEntries(counts.map(({ state, count, about }) => [state, [count, about]]));
    assert.deepEqual(byState, {
      available,
      cancelled: [0, false],
      completed: [1, false],
      discarded: [0, false],
      pending: [1, false],
      retryable: [0, false],
      running: [1, false],
      scheduled: [0, false],
    });
  }
}

async function showsQueues(subject: Subject): Promise<void> {
  const old = longAgo();
  await subject.add({ queue: "b" }, { queue: "b", scheduledAt: fromNow(60_000) }, { queue: "d", state: "pending" });
  await subject.add({ queue: "c", scheduledAt: old }, { scheduledAt: old });
  await subject.claimOne();
  await subject.queues.keepAlive({ name: "a" });
  const queues = await subject.inspect.queues({ ...BOUNDS, limit: 9 });
  assert.deepEqual(
    queues.map(({ queue, available, running, about }) => [queue, available, running, about]),
    [
      ["a", 0, 0, false],
      ["b", 1, 0, false],
      ["c", 1, 0, false],
      ["default", 0, 1, false],
    ],
  );
  const waiting = queues.map(({ oldestScheduledAt }) => oldestScheduledAt !== null);
  assert.deepEqual(waiting, [false, true, true, false]);
  sameInstant(queues[2]?.oldestScheduledAt, old);
  const first = await subject.inspect.queues({ ...BOUNDS, limit: 2 });
  assert.deepEqual(
    first.map(({ queue }) => queue),
    ["a", "b"],
  );
}

async function capsBacklogs(subject: Subject): Promise<void> {
  await subject.add(...Array.from({ length: 5 }, () => ({ queue: "a" })), ...Array.from({ length: 5 }, () => ({})));
  await subject.claim(4);
  const queues = await subject.inspect.queues({ ...BOUNDS, cap: 3, limit: 9 });
  assert.deepEqual(
    queues.map(({ queue, available, running, about }) => [queue, available, running, about]),
    [
      ["a", 3, 0, true],
      ["default", 1, 3, true],
    ],
  );
}

async function findsTheOldest(subject: Subject): Promise<void> {
  const times = [30, 10, 20].map((seconds) => longAgo().add({ seconds }));
  await subject.add(...times.map((scheduledAt, index) => ({ scheduledAt, priority: index + 1 })));
  const [queue] = await subject.inspect.queues({ ...BOUNDS, limit: 1 });
  sameInstant(queue?.oldestScheduledAt, times[1] ?? "");
}

async function showsThroughput(subject: Subject): Promise<void> {
  const jobs = await subject.addClaimed(6);
  const thisMinute = Temporal.Now.instant().round({ smallestUnit: "minute", roundingMode: "floor" });
  const ends = [
    ["completed", 0],
    ["completed", -1],
    ["discarded", -1],
    ["cancelled", -2],
    ["completed", -2],
    ["completed", -60],
  ] as const;
  const settlements = jobs.map((job, index) => {
    const [state, minutes] = ends[index] ?? assert.fail();
    return endOf(job, { state, finalizedAt: thisMinute.add({ milliseconds: minutes * MINUTE_MS + 1 }) });
  });
  await subject.jobs.settle({ settlements, wantRows: false });
  // Asked for more than is looked at: the next minute may begin meanwhile.
  const minutes = await subject.inspect.throughput({ ...BOUNDS, minutes: 10 });
  assert.equal(minutes.length, 10);
  const start = minutes[0]?.minute.epochMilliseconds ?? 0;
  for (const [index, { minute }] of minutes.entries())
    assert.equal(minute.epochMilliseconds, start + index * MINUTE_MS);
  const last = thisMinute.epochMilliseconds;
  assert.ok([last, last + MINUTE_MS].includes(minutes.at(-1)?.minute.epochMilliseconds ?? 0));
  const shown = minutes.filter(({ minute }) => Math.abs(minute.epochMilliseconds - last) <= 2 * MINUTE_MS);
  assert.deepEqual(
    shown.slice(0, 3).map(({ completed, cancelled, discarded }) => [completed, cancelled, discarded]),
    [
      [1, 1, 0],
      [1, 0, 1],
      [1, 0, 0],
    ],
  );
}

async function showsClients(subject: Subject): Promise<void> {
  await subject.add(...Array.from({ length: 8 }, () => ({})));
  await subject.claim(2, 'a"{},');
  await subject.claim(3, "b");
  const [c] = await subject.claim(1, "c");
  await subject.settle(endOf(c ?? assert.fail(), { state: "available", scheduledAt: longAgo() }));
  await subject.claim(1, "b");
  const clients = await subject.inspect.clients({ ...BOUNDS, limit: 9 });
  assert.deepEqual(
    clients.map(({ clientId, running }) => [clientId, running]),
    [
      ["b", 4],
      ['a"{},', 2],
    ],
  );
  assert.equal((await subject.inspect.clients({ ...BOUNDS, limit: 1 })).length, 1);
  const capped = await subject.inspect.clients({ cap: 3, timeoutMs: 30_000, limit: 9 });
  assert.equal(
    capped.reduce((sum, { running }) => sum + running, 0),
    3,
  );
}

async function respectsTime(subject: Subject): Promise<void> {
  const { inspect } = subject;
  const { timeoutMs, release } = await subject.blockReads();
  const bounds = { cap: 10, timeoutMs };
  const figures: Readonly<Record<string, () => Promise<unknown>>> = {
    "inspect.counts": () => inspect.counts(bounds),
    "inspect.queues": () => inspect.queues({ ...bounds, limit: 9 }),
    "inspect.throughput": () => inspect.throughput({ ...bounds, minutes: 1 }),
    "inspect.clients": () => inspect.clients({ ...bounds, limit: 9 }),
  };
  for (const [operation, figure] of Object.entries(figures)) {
    await assert.rejects(figure(), databaseError(subject, { operation, retryable: true, rowCaused: false }));
  }
  await release();
  assert.equal((await inspect.counts(BOUNDS)).length, JOB_STATES.length);
}

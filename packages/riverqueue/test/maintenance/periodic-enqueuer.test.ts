/** Periodic jobs on a real database. */
import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import {
  failOnLeaks,
  leaseSqliteDatabase,
  type LeasedSqliteDatabase,
  ManualClock,
} from "@riverqueue/internal-test-kit";
import type { PeriodicJob, PeriodicJobsStartParams } from "../../src/api/periodic-jobs.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import { cron } from "../../src/periodic/cron.ts";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { FreezableClock } from "./testdata/freezable-clock.ts";
import { insertRawJobs, storedTime } from "./testdata/insert-jobs.ts";
import {
  advanceBy,
  advanceUntil,
  type LeadingClient,
  type LeadingClientOptions,
  makeLeadingClient,
  settle,
} from "./testdata/leading-client.ts";

failOnLeaks();

const tick = defineJob<{ n: number }>()({ kind: "tick" });
const tock = defineJob<{ n: number }>()({ kind: "tock" });
const everySecond = { schedule: cron("@every 1s") };

interface World {
  readonly clock: ManualClock;
  readonly database: LeasedSqliteDatabase;
  readonly handle: DatabaseSync;
  readonly make: (options?: Partial<LeadingClientOptions>) => LeadingClient;
}

async function makeWorld(t: TestContext): Promise<World> {
  const clock = new ManualClock("2026-01-02T03:04:05Z");
  const database = await leaseSqliteDatabase(t);
  return {
    clock,
    database,
    handle: database.open(),
    make: (options) => makeLeadingClient(t, database, { clientId: "leader", clock, databaseClock: clock, ...options }),
  };
}

interface InsertedRow {
  readonly kind: string;
  readonly state: string;
  readonly args: string;
  readonly metadata: string;
  readonly scheduled_at: string;
  readonly queue: string;
}

function inserted(handle: DatabaseSync): InsertedRow[] {
  const query =
    "SELECT kind, state, json(args) AS args, json(metadata) AS metadata, scheduled_at, queue FROM river_job ORDER BY id";
  return handle.prepare(query).all() as never;
}

async function untilInserted(
  { clock, handle }: World,
  clients: readonly LeadingClient[],
  count: number,
): Promise<InsertedRow[]> {
  return advanceUntil(clock, clients, () => inserted(handle).length >= count && inserted(handle));
}

test("a job is inserted at each occurrence, available at its time, and marked as periodic", async (t) => {
  const world = await makeWorld(t);
  const start = world.clock.now();
  const client = world.make({
    periodicJobs: [
      periodicJob({ job: tick, id: "ticker", args: { n: 1 }, every: { seconds: 10 }, runOnStart: true }),
      periodicJob({ job: tock, args: { n: 2 }, options: { queue: "slow" }, every: { seconds: 15 } }),
    ],
  });
  client.leadership.start();
  const rows = await untilInserted(world, [client], 4);
  assert.deepEqual(
    rows.map((row) => [row.kind, row.state, row.scheduled_at, row.queue]),
    [
      ["tick", "available", storedTime(start), "default"],
      ["tick", "available", storedTime(start.add({ seconds: 10 })), "default"],
      ["tock", "available", storedTime(start.add({ seconds: 15 })), "slow"],
      ["tick", "available", storedTime(start.add({ seconds: 20 })), "default"],
    ],
  );
  const metadata = rows.map((row) => JSON.parse(row.metadata));
  assert.deepEqual([metadata[0]?.periodic, metadata[0]?.["river:periodic_job_id"]], [true, "ticker"]);
  assert.deepEqual([metadata[2]?.periodic, metadata[2]?.["river:periodic_job_id"]], [true, undefined]);
  assert.deepEqual(
    client
      .eventsOf("maintenance_succeeded")
      .filter(({ service }) => service === "periodic")
      .map(({ count }) => count),
    [1, 1, 1, 1],
  );
});

test("what a constructor, its arguments or its schedule do wrong costs nobody else an occurrence", async (t) => {
  const world = await makeWorld(t);
  let built = 0;
  const client = world.make({
    periodicJobs: [
      periodicJob({ job: tick, id: "throws", construct: () => Promise.reject(new Error("no")), ...everySecond }),
      periodicJob({ job: tick, id: "skips", construct: () => null, ...everySecond }),
      periodicJob({ job: tick, id: "nothing", construct: () => undefined as unknown as null, ...everySecond }),
      periodicJob({
        job: tick,
        id: "misspelt",
        construct: () => ({ args: { n: -2 }, option: { queue: "other" } }),
        ...everySecond,
      }),
      periodicJob({ job: tick, id: "bad-args", args: { n: Number.NaN }, ...everySecond }),
      periodicJob({ job: tick, id: "counts", construct: async () => ({ args: { n: built++ } }), ...everySecond }),
      periodicJob({
        job: tick,
        id: "bad-schedule",
        args: { n: -1 },
        schedule: {
          next: () => {
            throw new Error("no schedule");
          },
        },
      }),
    ],
  });
  client.leadership.start();
  const rows = await untilInserted(world, [client], 2);
  assert.deepEqual(
    rows.map((row) => row.args),
    ['{"n":0}', '{"n":1}'],
  );
  const errors = client.logs.filter(({ level }) => level === "error").map(({ attributes }) => attributes);
  assert.deepEqual(
    errors.map(({ periodicJobId }) => String(periodicJobId)).toSorted((a, b) => a.localeCompare(b)),
    ["bad-args", "bad-args", "bad-schedule", "misspelt", "misspelt", "nothing", "nothing", "throws", "throws"],
  );
  const textOf = (id: string): string => String(errors.find(({ periodicJobId }) => periodicJobId === id)?.["error"]);
  assert.match(textOf("misspelt"), /: construct\(\)\.option is not an option; did you mean options\?$/);
  assert.match(textOf("nothing"), /: construct\(\) must be an object$/);
  assert.equal(client.eventsOf("maintenance_failed").length, 0);
});

const never = (): Promise<never> => new Promise(() => {});
const hangingSchema = { "~standard": { version: 1, vendor: "test", validate: never } } as const;
const HANGING = {
  constructor: periodicJob({ job: tick, id: "hangs", construct: never, every: { minutes: 1 } }),
  schema: periodicJob({
    job: defineJob({ kind: "checked", schema: hangingSchema }),
    id: "hangs",
    construct: () => ({ args: {} as never }),
    every: { minutes: 1 },
  }),
  decoder: periodicJob({
    job: defineJob({ kind: "decoded", decode: never }),
    id: "hangs",
    construct: () => ({ args: {} as never }),
    every: { minutes: 1 },
  }),
};

for (const [what, hanging] of Object.entries(HANGING)) {
  test(`a ${what} that hangs holds up the others for 30 s at most, and never the stop`, async (t) => {
    const world = await makeWorld(t);
    const client = world.make({
      periodicJobs: [hanging, periodicJob({ job: tock, args: { n: 1 }, every: { minutes: 1 } })],
    });
    client.leadership.start();
    await advanceBy(world.clock, [client], 89_000);
    assert.equal(inserted(world.handle).length, 0);
    await untilInserted(world, [client], 1);
    await advanceBy(world.clock, [client], 31_000);
    await client.leadership.stop();
    assert.equal(inserted(world.handle).length, 1);
  });
}

test("an insertion that a hook refuses is tried job by job, and reported", async (t) => {
  const world = await makeWorld(t);
  const client = world.make({
    periodicJobs: [
      periodicJob({ job: tick, args: { n: 1 }, every: { seconds: 1 } }),
      periodicJob({ job: tock, args: { n: 2 }, every: { seconds: 1 } }),
    ],
    insertHooks: [
      {
        beforeInsert({ requests }) {
          if (requests.some(({ kind }) => kind === "tick")) throw new Error("no ticks");
        },
      },
    ],
  });
  client.leadership.start();
  const rows = await untilInserted(world, [client], 2);
  assert.deepEqual(
    rows.map((row) => row.kind),
    ["tock", "tock"],
  );
  const failures = client.eventsOf("maintenance_failed");
  assert.deepEqual(
    failures.map(({ service, error }) => [service, (error as Error).message]),
    [
      ["periodic", "no ticks"],
      ["periodic", "no ticks"],
    ],
  );
});

test("registry changes take effect at once while leading", async (t) => {
  const world = await makeWorld(t);
  const client = world.make();
  client.leadership.start();
  await advanceBy(world.clock, [client], 10_000);
  const handle = client.registry.add(periodicJob({ job: tick, args: { n: 1 }, every: { hours: 1 }, runOnStart: true }));
  await advanceBy(world.clock, [client], 0);
  assert.equal(inserted(world.handle).length, 1);
  client.registry.remove(handle);
  await advanceBy(world.clock, [client], 0);
  client.registry.add(periodicJob({ job: tock, args: { n: 1 }, every: { seconds: 5 } }));
  const rows = await untilInserted(world, [client], 2);
  assert.deepEqual(
    rows.map((row) => row.kind),
    ["tick", "tock"],
  );
});

test("start hooks come first, are told what there is, and are tried again", async (t) => {
  const world = await makeWorld(t);
  const seen: PeriodicJobsStartParams[] = [];
  const client = world.make({
    onPeriodicJobsStart(params) {
      seen.push(params);
      if (seen.length === 1) throw new Error("not yet");
      params.periodicJobs.add(periodicJob({ job: tick, args: { n: 1 }, every: { hours: 1 }, runOnStart: true }));
    },
  });
  client.leadership.start();
  const rows = await untilInserted(world, [client], 1);
  assert.equal(rows.length, 1);
  assert.equal(seen.length, 2);
  assert.deepEqual(seen[0]?.durableJobs, []);
  assert.equal(seen[0]?.periodicJobs, client.registry);
  assert.equal(client.logs.filter(({ level }) => level === "error").length, 1);
});

/** Every slot as often as it was inserted, and the longest time between two in a row, in seconds. */
function slotsOf(handle: DatabaseSync): { twice: string[]; longestGap: number } {
  const times = inserted(handle).map((row) => row.scheduled_at);
  const twice = times.filter((time, index) => times.indexOf(time) !== index);
  const seconds = times.map((time) => Date.parse(`${time.replace(" ", "T")}Z`) / 1000).toSorted((a, b) => a - b);
  const gaps = seconds.slice(1).map((time, index) => time - (seconds[index] ?? 0));
  return { twice, longestGap: Math.max(...gaps) };
}

const slots = (): PeriodicJob[] => [periodicJob({ job: tick, args: { n: 1 }, schedule: cron("@every 1s") })];

test("C26: no slot is inserted twice by a leader that was stopped and goes on, and none is missing beyond the hand-over", async (t) => {
  const world = await makeWorld(t);
  const frozen = new FreezableClock(world.clock);
  const one = world.make({ clientId: "one", clock: frozen, periodicJobs: slots() });
  const two = world.make({ clientId: "two", periodicJobs: slots() });
  one.leadership.start();
  await untilInserted(world, [one], 3);
  two.leadership.start();
  await advanceBy(world.clock, [one, two], 5000);
  frozen.freeze();
  await advanceBy(world.clock, [two], 40_000);
  assert.equal(two.leadership.diagnostics.isLeader, true);
  frozen.thaw();
  await advanceBy(world.clock, [one, two], 15_000);
  const { twice, longestGap } = slotsOf(world.handle);
  assert.deepEqual(twice, []);
  // Lease of 15 s, then at most an interval and the first occurrence of the new term.
  assert.ok(longestGap <= 22, `${longestGap} s`);
});

test("C26: no slot is inserted twice when the leadership row is deleted by hand, also by clients of one ID", async (t) => {
  const world = await makeWorld(t);
  const one = world.make({ clientId: "same", periodicJobs: slots() });
  const two = world.make({ clientId: "same", periodicJobs: slots() });
  one.leadership.start();
  await untilInserted(world, [one], 3);
  two.leadership.start();
  await advanceBy(world.clock, [one, two], 1700);
  for (let round = 0; round < 3; round++) {
    world.handle.exec("DELETE FROM river_leader");
    const elections = two.eventsOf("leader_acquired").length + one.eventsOf("leader_acquired").length;
    await advanceUntil(
      world.clock,
      [one, two],
      () => two.eventsOf("leader_acquired").length + one.eventsOf("leader_acquired").length > elections,
      { limitMs: 12_000 },
    );
    await advanceBy(world.clock, [one, two], 5300);
    assert.notEqual(one.leadership.diagnostics.isLeader, two.leadership.diagnostics.isLeader);
  }
  const { twice, longestGap } = slotsOf(world.handle);
  assert.deepEqual(twice, []);
  assert.ok(longestGap <= 12, `${longestGap} s`);
});

/** Due together with the slots above, 80 ms before its own time. */
const shortlyAfter: PeriodicJob = periodicJob({
  job: tock,
  args: { n: 2 },
  schedule: {
    next: (previous) =>
      previous
        .subtract({ milliseconds: 80 })
        .round({ smallestUnit: "second", roundingMode: "floor" })
        .add({ seconds: 1, milliseconds: 80 }),
  },
});

test("C26: a slot inserted ahead of its time is not inserted again by a leader elected before that time", async (t) => {
  const world = await makeWorld(t);
  const periodicJobs = [...slots(), shortlyAfter];
  const clients = ["one", "two"].map((clientId) => world.make({ clientId, periodicJobs }));
  const elections = (): number => clients.flatMap(({ eventsOf }) => eventsOf("leader_acquired")).length;
  const fine = { stepMs: 10 };
  for (const { leadership } of clients) leadership.start();
  for (let round = 1; round <= 4; round++) {
    const before = inserted(world.handle).length;
    await advanceUntil(world.clock, clients, () => inserted(world.handle).length > before, fine);
    const ahead = inserted(world.handle).at(-1);
    assert.equal(ahead?.kind, "tock");
    for (const { leadership } of clients) leadership.requestResignation();
    await settle(clients);
    for (const { leadership } of clients) leadership.onStreamRestored();
    await advanceUntil(world.clock, clients, () => elections() > round, fine);
    assert.ok(storedTime(world.clock.now()) < ahead.scheduled_at, "the next term begins before the time of the slot");
  }
  await untilInserted(world, clients, 12);
  assert.deepEqual(slotsOf(world.handle).twice, []);
});

test("C26: what a leader inserts while its term is ended by others is undone", async (t) => {
  const world = await makeWorld(t);
  let terms = 0;
  const client = world.make({
    periodicJobs: slots(),
    insertHooks: [
      {
        beforeInsert() {
          if (++terms === 1) world.handle.exec("DELETE FROM river_leader");
        },
      },
    ],
  });
  client.leadership.start();
  await advanceUntil(world.clock, [client], () => client.eventsOf("leader_lost").length > 0);
  assert.deepEqual(inserted(world.handle), []);
  assert.deepEqual(client.eventsOf("maintenance_failed"), []);
  await untilInserted(world, [client], 2);
  assert.deepEqual(slotsOf(world.handle).twice, []);
});

test("E06: a client that may lead serves the database of one that never does, which alone stands still", async (t) => {
  const world = await makeWorld(t);
  const now = world.clock.now();
  insertRawJobs(world.handle, now, [
    { state: "scheduled", scheduledAt: now },
    { state: "running", attempt: 1, attemptedAt: now.subtract({ hours: 2 }) },
  ]);
  const states = (): string[] => inserted(world.handle).map((row) => row.state);
  // X claims and nothing else.
  const x = world.make({ clientId: "x" });
  const claim = { queue: "default", clientId: "x", limit: 10, kinds: null, hint: null };
  const claimed = async (): Promise<string[]> =>
    (await x.driver.jobs.claim(claim, { now: world.clock.now() })).jobs.map(({ kind }) => kind);
  await advanceBy(world.clock, [x], 60_000);
  assert.deepEqual(await claimed(), []);
  assert.deepEqual(states(), ["scheduled", "running"]);

  const y = world.make({
    clientId: "y",
    periodicJobs: [periodicJob({ job: tick, args: { n: 1 }, every: { seconds: 1 } })],
  });
  y.leadership.start();
  await untilInserted(world, [x, y], 3);
  assert.deepEqual(states(), ["available", "retryable", "available"]);
  assert.deepEqual(await claimed(), ["known", "tick"]);
});

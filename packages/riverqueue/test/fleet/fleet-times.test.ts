/** How often a client turns to the fleet's tables, how long its statements may take, and how much it keeps meanwhile. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { FleetRecorder } from "../../src/fleet/fleet-recorder.ts";
import { advanceUntil } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";
import { calmQueue, fleetOnSqlite } from "./testdata/fleet-on-sqlite.ts";

failOnLeaks();

const ignore = (): void => {};

/** Nothing else sets timers that are as long as those of the fleet. */
const RARE = { queues: { default: calmQueue() }, queueHeartbeatInterval: { hours: 3 } } as const;

/** The pauses of ten seconds to half an hour that are made from now on. */
function pausesOn(t: TestContext, clock: ManualClock): () => number[] {
  const { mock } = t.mock.method(clock, "setTimer");
  return () => mock.calls.map((call) => call.arguments[1]).filter((ms) => ms >= 10_000 && ms <= 1_800_000);
}

test("a heartbeat comes every ten seconds, by statements that may take three", async (t) => {
  const { clock, client, until } = await fleetOnSqlite(t);
  const pauses = pausesOn(t, clock);
  const limits = new Set<unknown>();
  const { start } = await client({
    client: RARE,
    intercept: (verb, _, proceed, call) => {
      if (verb === "extension.run") limits.add(call?.timeoutMs);
      return proceed();
    },
  });
  const run = await start();
  await until(() => pauses().length >= 3, 60_000);
  assert.deepEqual(new Set(pauses()), new Set([10_000]));
  await advanceUntil(clock, run.stop());
  assert.deepEqual([...limits], [3_000]);
});

test("tables that are not there are looked for every ten minutes", async (t) => {
  const { clock, client, until } = await fleetOnSqlite(t, { migrated: false });
  const pauses = pausesOn(t, clock);
  const { start } = await client({ client: RARE });
  const run = await start();
  await until(() => pauses().length >= 2, 1_200_000);
  assert.deepEqual(new Set(pauses()), new Set([600_000]));
  await advanceUntil(clock, run.stop());
});

test("failures are followed by pauses of 10 seconds up to 5 minutes, and by a warning every ten minutes at most", async (t) => {
  const { clock, client, until } = await fleetOnSqlite(t);
  const pauses = pausesOn(t, clock);
  const warned: number[] = [];
  const warn = (): void => void warned.push(clock.monotonic());
  const { start } = await client({
    client: { ...RARE, logger: { debug: ignore, info: ignore, warn, error: warn } },
    intercept: (verb, _, proceed) => {
      if (verb === "extension.run") throw databaseError("transient", verb);
      return proceed();
    },
  });
  const run = await start();
  await until(() => warned.length === 2, 1_000_000);
  assert.deepEqual(pauses().slice(0, 7), [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  const [first = 0, second = 0] = warned;
  // The first failure that comes ten minutes after the warning.
  assert.ok(second - first >= 610_000 && second - first < 620_000, warned.join());
  await advanceUntil(clock, run.stop());
});

test("a leader deletes old rows every ten minutes, by statements that may take ten seconds", async (t) => {
  const { clock, client, until } = await fleetOnSqlite(t);
  const cleaned: [at: number, limitMs: unknown][] = [];
  const { start } = await client({
    client: { ...RARE, leaderElectionDisabled: false },
    intercept: (verb, params: readonly { readonly text: string }[], proceed, call) => {
      const cleans =
        verb === "extension.run" && params.some(({ text }) => /^\s*DELETE FROM \S*fleet_minute/i.test(text));
      if (cleans) cleaned.push([clock.monotonic(), call?.timeoutMs]);
      return proceed();
    },
  });
  const run = await start();
  await until(() => cleaned.length === 2, 900_000);
  const [[first, limitMs] = [0, 0], [second] = [0]] = cleaned;
  assert.equal(limitMs, 10_000);
  assert.ok(second - first >= 600_000 && second - first < 650_000, JSON.stringify(cleaned));
  await advanceUntil(clock, run.stop());
});

test("the last 1,000 entries of the audit trail wait to be written", () => {
  const clock = new ManualClock();
  const recorder = new FleetRecorder(clock);
  const note = (n: number): void => {
    recorder.happened({ kind: "queue_removed", at: clock.now(), queueName: `${n}` });
  };
  for (let n = 0; n < 1_001; n++) note(n);
  const notes = recorder.takeNotes();
  assert.deepEqual([notes.length, notes[0]?.subject], [1_000, "1"]);
  note(1_001);
  recorder.giveBackNotes(notes);
  const again = recorder.takeNotes();
  assert.deepEqual([again.length, again[0]?.subject, again.at(-1)?.subject], [1_000, "2", "1001"]);
});

/** How long a leader may trust its term. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import type { Clock } from "../../src/kit/clock.ts";
import { readClocks, Tenure } from "../../src/maintenance/tenure.ts";
import type { LeaderTerm } from "../../src/model/leader-term.ts";

const TRUST_MS = 14_000;

function termAt(clock: Clock): LeaderTerm {
  const electedAt = clock.now();
  return { leaderId: "me", electedAt, expiresAt: electedAt.add({ seconds: 15 }) };
}

function makeTenure(clock: Clock): Tenure {
  return new Tenure(clock, termAt(clock), readClocks(clock), TRUST_MS);
}

test("trust ends 14 s after the start of the bid, by itself", async () => {
  const clock = new ManualClock();
  const since = readClocks(clock);
  await clock.advance(4000);
  const tenure = new Tenure(clock, termAt(clock), since, TRUST_MS);
  assert.equal(tenure.trustLeftMs, 10_000);
  await clock.advance(9999);
  assert.ok(tenure.holds());
  await clock.advance(1);
  assert.ok(tenure.signal.aborted);
  assert.equal(tenure.ended, "expired");
});

test("a slow renewal counts from its start", async () => {
  const clock = new ManualClock();
  const tenure = makeTenure(clock);
  await clock.advance(5000);
  const since = readClocks(clock);
  await clock.advance(4000);
  tenure.renewed(termAt(clock), since);
  assert.equal(tenure.trustLeftMs, 10_000);
  await clock.advance(9999);
  assert.ok(!tenure.signal.aborted);
  await clock.advance(1);
  assert.ok(tenure.signal.aborted);
});

test("a jump of the wall clock uses up trust, and one backwards gives none", () => {
  let wallMs = 0;
  let monotonicMs = 0;
  const clock: Clock = {
    now: () => Temporal.Instant.fromEpochMilliseconds(wallMs),
    monotonic: () => monotonicMs,
    setTimer: () => ({ cancel() {} }),
  };
  const suspended = makeTenure(clock);
  wallMs = 60_000;
  assert.ok(!suspended.holds());
  assert.equal(suspended.ended, "expired");
  const setBack = makeTenure(clock);
  wallMs = 0;
  monotonicMs = 13_999;
  assert.ok(setBack.holds());
  monotonicMs = 14_000;
  assert.ok(!setBack.holds());
});

test("the first reason to end counts, and nothing is left ticking", () => {
  const clock = new ManualClock();
  const tenure = makeTenure(clock);
  tenure.finish("asked");
  tenure.finish("stopped");
  tenure.renewed(termAt(clock), readClocks(clock));
  assert.equal(tenure.ended, "asked");
  assert.ok(!tenure.holds());
  assert.equal(clock.pending, 0);
});

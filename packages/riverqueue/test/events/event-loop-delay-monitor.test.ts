import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import test, { type TestContext } from "node:test";
import { failOnLeaks, ManualClock, pollUntil } from "@riverqueue/internal-test-kit";
import type { Clock } from "../../src/kit/clock.ts";
import type { EventLoopDelayEvent, RiverEvent } from "../../src/model/river-event.ts";
import { OptionProblems } from "../../src/options/option-problems.ts";
import { EventLoopDelayMonitor } from "../../src/runtime/event-loop-delay-monitor.ts";
import { type EventLoopDelaySettings, resolveEventLoopDelay } from "../../src/runtime/event-loop-delay-options.ts";

failOnLeaks();

const SETTINGS: EventLoopDelaySettings = { reportIntervalMs: 1_000, resolutionMs: 20, warningThresholdMs: 100 };
/** More than any machine that runs tests is ever late, so that only delays made by a test count. */
const HOUR_MS = 3_600_000;

interface MonitorSample {
  readonly monitor: EventLoopDelayMonitor;
  readonly events: EventLoopDelayEvent[];
}

function startMonitor(t: TestContext, clock: Clock, settings: Partial<EventLoopDelaySettings> = {}): MonitorSample {
  const events: EventLoopDelayEvent[] = [];
  const hub = {
    emit(event: RiverEvent): void {
      assert.equal(event.kind, "runtime_event_loop_delay");
      events.push(event);
    },
  };
  const monitor = new EventLoopDelayMonitor({ settings: { ...SETTINGS, ...settings }, environment: { clock }, hub });
  monitor.start();
  t.after(() => monitor.stop());
  return { monitor, events };
}

/** A clock whose measure of time can jump, as it does for code that runs after a long synchronous call. */
function blockableClock(): { readonly clock: Clock; readonly manual: ManualClock; block: (ms: number) => void } {
  const manual = new ManualClock();
  let blockedMs = 0;
  const clock: Clock = {
    now: () => manual.now(),
    monotonic: () => manual.monotonic() + blockedMs,
    setTimer: (callback, ms) => manual.setTimer(callback, ms),
  };
  return { clock, manual, block: (ms) => void (blockedMs += ms) };
}

test("JS-31: without options it reports every second, with a resolution of 20 ms and a threshold of 100 ms", async (t) => {
  const problems = new OptionProblems();
  assert.deepEqual(resolveEventLoopDelay(undefined, problems), SETTINGS);
  assert.deepEqual(resolveEventLoopDelay({}, problems), SETTINGS);
  assert.equal(resolveEventLoopDelay(false, problems), null);
  assert.ok(problems.isEmpty);

  const clock = new ManualClock();
  const { monitor } = startMonitor(t, clock, { warningThresholdMs: HOUR_MS });
  await clock.advance(999);
  assert.equal(monitor.latest, null);
  await clock.advance(1);
  const first = monitor.latest;
  assert.ok(first);
  await clock.advance(999);
  assert.equal(monitor.latest, first);
  await clock.advance(1);
  assert.notEqual(monitor.latest, first);
});

test("JS-30: the delay is that of Node's own histogram", async (t) => {
  const clock = new ManualClock();
  const { monitor } = startMonitor(t, clock, { warningThresholdMs: 25 });
  for (let turns = 0; turns < 5; turns++) {
    const until = performance.now() + 30;
    while (performance.now() < until);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await clock.advance(1_000);
  // By the monitor's clock no timer was late, so what is longer than the resolution comes from the histogram.
  assert.ok(monitor.latest);
  assert.equal(monitor.latest.exceededThreshold, true);
  for (const duration of [monitor.latest.max, monitor.latest.p99]) {
    assert.ok(Temporal.Duration.compare(duration, { milliseconds: 25 }) > 0);
  }
  assert.ok(Temporal.Duration.compare(monitor.latest.max, monitor.latest.mean) >= 0);
});

test("JS-31: the histogram samples at the resolution, so an idle loop shows about that", async (t) => {
  const clock = new ManualClock();
  const { monitor } = startMonitor(t, clock, { resolutionMs: 100, warningThresholdMs: HOUR_MS });
  // A histogram of the same resolution that began later: when it has samples, the monitor's has some, too.
  const later = monitorEventLoopDelay({ resolution: 100 });
  later.enable();
  t.after(() => later.disable());
  await pollUntil(() => later.count >= 2);
  await clock.advance(1_000);
  // However late the machine is, no sample is shorter than the resolution.
  const mean = monitor.latest?.mean.total("milliseconds") ?? 0;
  assert.ok(mean > 90, `${mean} ms`);
});

test("JS-32: only a delay above the threshold is flagged and an event; exactly the threshold is neither", async (t) => {
  const { clock, manual, block } = blockableClock();
  const { monitor, events } = startMonitor(t, clock, { warningThresholdMs: HOUR_MS });
  await manual.advance(10);
  block(HOUR_MS - 20);
  await manual.advance(990);
  assert.equal(monitor.latest?.max.total("milliseconds"), HOUR_MS);
  assert.equal(monitor.latest.exceededThreshold, false);
  assert.equal(events.length, 0);
  await manual.advance(10);
  block(HOUR_MS - 19);
  await manual.advance(990);
  assert.equal(monitor.latest.max.total("milliseconds"), HOUR_MS + 1);
  assert.equal(events.length, 1);
  assert.equal(events[0]?.eventLoopDelay, monitor.latest);
  assert.equal(events[0].eventLoopDelay.exceededThreshold, true);
  assert.equal(events[0].at.toString(), manual.now().toString());
});

test("JS-32: a delay around an observation shows in the observation before or after it, and only once", async (t) => {
  const { clock, manual, block } = blockableClock();
  const { monitor, events } = startMonitor(t, clock, { warningThresholdMs: HOUR_MS });
  // The last sample of the interval begins 20 ms before its end.
  await manual.advance(985);
  block(2 * HOUR_MS);
  await manual.advance(15);
  assert.equal(events.length, 1);
  await manual.advance(1_000);
  assert.equal(events.length, 1);
  assert.equal(monitor.latest?.exceededThreshold, false);
  block(2 * HOUR_MS);
  await manual.advance(999);
  assert.equal(events.length, 1);
  await manual.advance(1);
  assert.equal(events.length, 2);
});

test("JS-34: nothing is reported once it has stopped, and stopping twice is harmless", async (t) => {
  const clock = new ManualClock();
  const { monitor, events } = startMonitor(t, clock, { warningThresholdMs: 0 });
  await clock.advance(1_000);
  assert.equal(events.length, 1);
  const last = monitor.latest;
  monitor.stop();
  monitor.stop();
  assert.equal(clock.pending, 0);
  await clock.advance(5_000);
  assert.equal(events.length, 1);
  assert.equal(monitor.latest, last);
});

test("durations of an observation are in seconds and smaller units", async (t) => {
  const { clock, manual, block } = blockableClock();
  const { monitor } = startMonitor(t, clock);
  block(4_000);
  await manual.advance(1_000);
  assert.deepEqual([monitor.latest?.max.seconds, monitor.latest?.max.milliseconds], [4, 20]);
});

test("bad options are refused with their paths", () => {
  const bad: [value: unknown, message: RegExp][] = [
    [true, /^eventLoopDelay must be an object$/],
    [null, /^eventLoopDelay must be an object$/],
    [{ reportIntervalMs: 5 }, /^eventLoopDelay\.reportIntervalMs is not an option; use reportInterval with a duration/],
    [{ resolution: 20 }, /^eventLoopDelay\.resolution must be a duration/],
    [{ resolution: { microseconds: 1_500 } }, /^eventLoopDelay\.resolution must be of whole milliseconds$/],
    [{ reportInterval: { milliseconds: 0 } }, /^eventLoopDelay\.reportInterval must be at least 1 ms/],
    [{ reportInterval: { milliseconds: 19 } }, /^eventLoopDelay\.reportInterval must not be shorter than resolution$/],
    [{ warningThreshold: { seconds: -1 } }, /^eventLoopDelay\.warningThreshold must not be negative$/],
  ];
  for (const [value, message] of bad) {
    const problems = new OptionProblems();
    resolveEventLoopDelay(value, problems);
    assert.throws(() => problems.throwConfiguration(), { code: "configuration", message });
  }
});

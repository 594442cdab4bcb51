/** Cron at time zone transitions and for dates that do not exist. */
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { type CronOptions, cron, cronWarnings } from "../../src/periodic/cron.ts";
import { ZoneOffsets } from "../../src/periodic/zone-offsets.ts";

type Case = readonly [
  expression: string,
  timeZone: string,
  options: CronOptions,
  from: string,
  next: readonly string[],
];

const CASES: readonly Case[] = [
  ["30 2 * * *", "America/New_York", {}, "2027-03-13T08:00Z", ["2027-03-15T06:30:00Z"]],
  [
    "30 2 * * *",
    "America/New_York",
    { onGap: "after" },
    "2027-03-13T08:00Z",
    ["2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z"],
  ],
  [
    "30 1 * * *",
    "America/New_York",
    { onRepeat: "once" },
    "2027-11-07T04:00Z",
    ["2027-11-07T05:30:00Z", "2027-11-08T06:30:00Z"],
  ],
  ["30 1 * * *", "America/New_York", {}, "2027-11-07T04:00Z", ["2027-11-07T05:30:00Z", "2027-11-07T06:30:00Z"]],
  ["15 2 * * *", "Australia/Lord_Howe", {}, "2027-10-02T12:00Z", ["2027-10-03T15:15:00Z"]],
  [
    "45 1 * * *",
    "Australia/Lord_Howe",
    { onRepeat: "once" },
    "2027-04-03T12:00Z",
    ["2027-04-03T14:45:00Z", "2027-04-04T15:15:00Z"],
  ],
  ["45 1 * * *", "Australia/Lord_Howe", {}, "2027-04-03T12:00Z", ["2027-04-03T14:45:00Z", "2027-04-03T15:15:00Z"]],
  ["0 0 * * *", "America/Santiago", { onGap: "after" }, "2027-09-04T12:00Z", ["2027-09-05T04:00:00Z"]],
  ["0 0 * * *", "America/Santiago", {}, "2027-09-04T12:00Z", ["2027-09-06T03:00:00Z"]],
  ["0 0 * * *", "Africa/Cairo", { onGap: "after" }, "2027-04-29T12:00Z", ["2027-04-29T22:00:00Z"]],
  ["0 0 * * *", "Africa/Cairo", {}, "2027-04-29T12:00Z", ["2027-04-30T21:00:00Z"]],
  [
    "30 23 * * *",
    "Africa/Cairo",
    { onRepeat: "once" },
    "2027-10-28T12:00Z",
    ["2027-10-28T20:30:00Z", "2027-10-29T21:30:00Z"],
  ],
  ["30 23 * * *", "Africa/Cairo", {}, "2027-10-28T12:00Z", ["2027-10-28T20:30:00Z", "2027-10-28T21:30:00Z"]],
  ["30 1 * * *", "Antarctica/Troll", {}, "2027-03-28T00:00Z", ["2027-03-28T23:30:00Z"]],
  ["0 0 29 2 *", "UTC", {}, "2026-11-30T00:00Z", ["2028-02-29T00:00:00Z"]],
  ["0 0 30 2 1", "UTC", {}, "2026-11-30T00:00Z", ["2027-02-01T00:00:00Z"]],
];

for (const [expression, timeZone, options, from, expected] of CASES) {
  test(`C27: ${expression} in ${timeZone} with ${JSON.stringify(options)} after ${from}`, () => {
    const schedule = cron(expression, { timeZone, ...options });
    const found: (string | undefined)[] = [];
    let at: Temporal.Instant | null = Temporal.Instant.from(from);
    while (at !== null && found.length < expected.length) {
      at = schedule.next(at);
      found.push(at?.toString());
    }
    assert.deepEqual(found, expected);
  });
}

test("C27: a quarter-hourly schedule stays 15 minutes apart in a repeated hour", () => {
  const schedule = cron("*/15 * * * *", { timeZone: "America/New_York" });
  const found: number[] = [];
  let at: Temporal.Instant | null = Temporal.Instant.from("2027-11-07T04:30Z");
  while ((at = schedule.next(at)) !== null && at.epochMilliseconds <= Date.UTC(2027, 10, 7, 7, 15)) {
    found.push(at.epochMilliseconds);
  }
  assert.equal(found.length, 11);
  assert.ok(found.every((time, index) => index === 0 || time - (found[index - 1] ?? 0) === 15 * 60_000));
});

for (const expression of ["0 0 30 2 *", "0 0 31 4,6,9,11 *", ", * * * *"]) {
  test(`C27: ${expression} is accepted, never fires, and says so once`, () => {
    const schedule = cron(expression, { timeZone: "America/New_York" });
    const now = Temporal.Instant.from("2026-11-30T00:00Z");
    assert.equal(schedule.next(now), null);
    assert.deepEqual(cronWarnings(schedule, now), ["never fires"]);
  });
}

const now = Temporal.Instant.from("2026-11-30T00:00Z");

test("C27: days lost to transitions are warned about, and only those", () => {
  const [santiago] = cronWarnings(cron("0 0 * * *", { timeZone: "America/Santiago" }), now);
  assert.match(santiago ?? "", /^does not fire on 2027-09-05, /);
  const [cairo] = cronWarnings(cron("0 0 * * *", { timeZone: "Africa/Cairo" }), now);
  assert.match(cairo ?? "", /^does not fire on 2027-04-30, /);
  const quiet: readonly [string, CronOptions][] = [
    ["0 0 * * *", { timeZone: "Africa/Cairo", onGap: "after" }],
    ["0 * * * *", { timeZone: "America/New_York" }],
    ["0 9 * * *", { timeZone: "Asia/Beirut" }],
    ["0 0 13 * fri", { timeZone: "UTC" }],
    ["@every 1h", { timeZone: "Africa/Cairo" }],
  ];
  for (const [expression, options] of quiet) assert.deepEqual(cronWarnings(cron(expression, options), now), []);
});

test("a whole day that a zone skipped ends the search with a ConfigurationError", () => {
  const schedule = cron("0 0 31 12 *", { timeZone: "Pacific/Apia" });
  assert.throws(() => schedule.next(Temporal.Instant.from("2011-12-01T12:00Z")), {
    name: "ConfigurationError",
    message: /skipped the whole day after 2011-12-29/,
  });
});

const ZONES = [
  "UTC",
  "America/New_York",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Africa/Cairo",
  "Asia/Kathmandu",
];
const field = (max: number, min = 0): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 2, max }).map((step) => `*/${step}`),
  );

test("occurrences increase strictly, lie on whole minutes and show the wall time asked for where no transition is near", () => {
  fc.assert(
    fc.property(
      fc.tuple(field(59), field(23), field(31, 1), field(12, 1), field(6)),
      fc.constantFrom(...ZONES),
      fc.constantFrom("skip" as const, "after" as const),
      fc.constantFrom("both" as const, "once" as const),
      fc.integer({ min: 0, max: 20 * 365 * 86_400 }),
      (fields, timeZone, onGap, onRepeat, seconds) => {
        const schedule = cron(fields.join(" "), { timeZone, onGap, onRepeat });
        let previous = Temporal.Instant.fromEpochMilliseconds(Date.UTC(2020, 0, 1) + seconds * 1000);
        for (let count = 0; count < 5; count++) {
          const next = schedule.next(previous);
          if (next === null) return;
          assert.ok(Temporal.Instant.compare(next, previous) > 0);
          assert.equal(next.epochMilliseconds % 1000, 0);
          const near = nearTransition(timeZone, next);
          if (!near && fields[0] !== "*" && !fields[0].startsWith("*/")) {
            assert.equal(next.toZonedDateTimeISO(timeZone).minute, Number(fields[0]));
          }
          previous = next;
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("offsets by stretch are those of each instant", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.array(fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }), { minLength: 5 }),
      (zone, times) => {
        const offsets = new ZoneOffsets(zone);
        for (const seconds of times) {
          const zoned = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
          assert.equal(offsets.offsetAt(seconds), zoned.offsetNanoseconds / 1e9);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("cron refuses options it does not know", () => {
  const bad: readonly [unknown, RegExp][] = [
    [{ timezone: "UTC" }, /timezone is not an option; did you mean timeZone\?/],
    [{ timeZone: "Mars/Base" }, /timeZone must be an IANA time zone/],
    [{ timeZone: "" }, /timeZone must be an IANA time zone/],
    [{ timeZone: "america/new_york" }, /timeZone must be an IANA time zone/],
    [{ timeZone: 5 }, /timeZone must be a string/],
    [{ onGap: "before", onRepeat: "never" }, /onGap must be .*; onRepeat must be /],
    [null, /options must be an object/],
  ];
  for (const [options, message] of bad) {
    assert.throws(() => cron("* * * * *", options as CronOptions), { name: "ConfigurationError", message });
  }
  assert.throws(() => cron(5 as unknown as string), { name: "ConfigurationError" });
  assert.throws(() => cron("* * * * *").next(new Date() as unknown as Temporal.Instant), { name: "ValidationError" });
});

test("the prefix decides the zone, then the option, then the process", () => {
  assert.equal(cron("TZ=Asia/Tokyo 0 0 * * *", { timeZone: "UTC" }).timeZone, "Asia/Tokyo");
  assert.equal(cron("0 0 * * *", { timeZone: "Asia/Tokyo" }).timeZone, "Asia/Tokyo");
  assert.equal(cron("0 0 * * *").timeZone, Temporal.Now.timeZoneId());
  assert.equal(cron("TZ=Local 0 0 * * *", { timeZone: "Asia/Tokyo" }).timeZone, Temporal.Now.timeZoneId());
  assert.equal(cron("TZ=Asia/Tokyo 0 0 * * *").expression, "TZ=Asia/Tokyo 0 0 * * *");
});

function nearTransition(zone: string, at: Temporal.Instant): boolean {
  const offset = (instant: Temporal.Instant): number => instant.toZonedDateTimeISO(zone).offsetNanoseconds;
  return offset(at.subtract({ hours: 30 })) !== offset(at);
}

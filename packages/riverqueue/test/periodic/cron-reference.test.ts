/** The reference values of cron expressions, shared with River clients in other languages. */
import assert from "node:assert/strict";
import test from "node:test";
import { cron } from "../../src/periodic/cron.ts";

/** Zone, expression, start, and occurrences that follow; null ends them. */
const OCCURRENCES: readonly [zone: string, expression: string, from: string, next: readonly (string | null)[]][] = [
  ["UTC", "0 0 29 2 *", "2024-02-29T00:00Z", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
  ["UTC", "0 0 29 2 *", "2096-02-29T00:00Z", [null]],
  ["UTC", "0 0 29 2 *", "2098-01-01T00:00Z", [null]],
  ["UTC", "0 0 29 2 *", "2099-01-01T00:00Z", ["2104-02-29T00:00Z"]],
  ["UTC", "0 0 31 4 *", "2024-01-01T00:00Z", [null]],
  [
    "UTC",
    "0 0 13 * fri",
    "2024-09-01T00:00Z",
    ["2024-09-06T00:00Z", "2024-09-13T00:00Z", "2024-09-20T00:00Z", "2024-09-27T00:00Z"],
  ],
  [
    "UTC",
    "0 0 */2 * mon",
    "2024-09-01T00:00Z",
    ["2024-09-02T00:00Z", "2024-09-03T00:00Z", "2024-09-05T00:00Z", "2024-09-07T00:00Z"],
  ],
  ["UTC", "0 0 */1 * mon", "2024-09-01T00:00Z", ["2024-09-02T00:00Z", "2024-09-09T00:00Z"]],
  ["UTC", "0 0 1-31 * mon", "2024-09-01T00:00Z", ["2024-09-02T00:00Z", "2024-09-03T00:00Z", "2024-09-04T00:00Z"]],
  ["America/New_York", "30 2 11 mar ?", "2012-03-11T00:00-05:00", ["2013-03-11T02:30-04:00"]],
  ["America/New_York", "0 * * * ?", "2012-03-11T01:00-05:00", ["2012-03-11T03:00-04:00"]],
  ["America/New_York", "0 2 * * ?", "2012-03-11T00:00-05:00", ["2012-03-12T02:00-04:00"]],
  [
    "America/New_York",
    "0 1 * * ?",
    "2012-11-04T00:00-04:00",
    ["2012-11-04T01:00-04:00", "2012-11-04T01:00-05:00", "2012-11-05T01:00-05:00"],
  ],
  ["America/New_York", "30 1 4 nov ?", "2012-11-04T01:45-04:00", ["2012-11-04T01:30-05:00"]],
  [
    "America/New_York",
    "*/30 1-3 * * *",
    "2024-03-10T00:00-05:00",
    [
      "2024-03-10T01:00-05:00",
      "2024-03-10T01:30-05:00",
      "2024-03-10T03:00-04:00",
      "2024-03-10T03:30-04:00",
      "2024-03-11T01:00-04:00",
    ],
  ],
  ["Europe/Berlin", "30 2 * * *", "2024-03-29T12:00+01:00", ["2024-03-30T02:30+01:00", "2024-04-01T02:30+02:00"]],
  [
    "Europe/Berlin",
    "30 2 * * *",
    "2024-10-26T12:00+02:00",
    ["2024-10-27T02:30+02:00", "2024-10-27T02:30+01:00", "2024-10-28T02:30+01:00"],
  ],
  ["Europe/London", "30 1 * * *", "2024-10-26T12:00+01:00", ["2024-10-27T01:30+01:00", "2024-10-27T01:30+00:00"]],
  ["America/Sao_Paulo", "0 0 * * *", "2018-11-03T12:00-03:00", ["2018-11-05T00:00-02:00"]],
  ["America/Sao_Paulo", "0 0 4 11 *", "2018-10-01T00:00-03:00", ["2019-11-04T00:00-03:00"]],
  ["America/Sao_Paulo", "0 9 10 * ?", "2018-10-17T06:00-03:00", ["2018-11-10T09:00-02:00"]],
  [
    "America/Havana",
    "0 0 * * sun",
    "2024-11-01T12:00-04:00",
    ["2024-11-03T00:00-04:00", "2024-11-03T00:00-05:00", "2024-11-10T00:00-05:00"],
  ],
  ["Asia/Beirut", "0 0 * * sun", "2024-03-25T12:00+02:00", ["2024-04-07T00:00+03:00"]],
  ["Australia/Lord_Howe", "15 2 * * *", "2024-10-04T12:00+10:30", ["2024-10-05T02:15+10:30", "2024-10-07T02:15+11:00"]],
  ["Australia/Lord_Howe", "45 1 * * *", "2024-04-06T12:00+11:00", ["2024-04-07T01:45+11:00", "2024-04-07T01:45+10:30"]],
  ["UTC", "@every 15m50ns", "2024-01-01T14:45:00.005Z", ["2024-01-01T15:00:00Z"]],
  ["UTC", "@every 15ms", "2024-01-01T14:45:00Z", ["2024-01-01T14:45:01Z"]],
];

for (const [timeZone, expression, from, expected] of OCCURRENCES) {
  test(`${expression} in ${timeZone} after ${from}`, () => {
    const schedule = cron(expression, { timeZone });
    let at: Temporal.Instant | null = Temporal.Instant.from(from);
    for (const each of expected) {
      assert.ok(at);
      at = schedule.next(at);
      assert.equal(at?.toString() ?? null, each === null ? null : Temporal.Instant.from(each).toString());
    }
  });
}

const REJECTED = [
  "",
  "xyz",
  "60 0 * * *",
  "0 60 * * *",
  "0 0 * * XYZ",
  "0 0 * * 7",
  "0 0 0 * *",
  "0 0 * 13 *",
  "* * * *",
  "* * * * * *",
  "5--5 * * * *",
  "*//2 * * * *",
  "*/0 * * * *",
  "*/-12 * * * *",
  "5-3 * * * *",
  "1-2-3 * * * *",
  "-1 * * * *",
  "*/ * * * *",
  "0x5 * * * *",
  "1.5 * * * *",
  "0 0 * january *",
  "0 0 * * monday",
  "0 0 L * *",
  "0 0 15W * *",
  "0 0 * * fri#2",
  "H * * * *",
  " @daily",
  "@Daily",
  "@daily ",
  "@daily x",
  "@reboot",
  "@every",
  "@every ",
  "@every 5",
  "@every Xm",
  "@every  5s",
  "@every 5s ",
  "@every 1d",
  "@every .s",
  "@every 1e3s",
  "@every 2562048h",
  "@unrecognized",
  "TZ=UTC",
  "TZ=UTC ",
  "TZ=Nowhere/Else * * * * *",
  "TZ=../../etc/passwd * * * * *",
  "TZ=/etc/localtime * * * * *",
  "TZ=+01:00 * * * * *",
  "tz=UTC * * * * *",
  " TZ=UTC * * * * *",
];

for (const expression of REJECTED) {
  test(`${JSON.stringify(expression)} is refused`, () => {
    assert.throws(() => cron(expression), { name: "ConfigurationError", message: /^(expression|time zone) / });
  });
}

/** Pairs that mean the same. */
const EQUAL: readonly [string, string][] = [
  ["1,,2 * * * *", "1,2 * * * *"],
  [",1 * * * *", "1 * * * *"],
  ["1, * * * *", "1 * * * *"],
  ["*-7 * * * *", "* * * * *"],
  ["?-1-2/3 * * * *", "*/3 * * * *"],
  ["+05 * * * *", "5 * * * *"],
  ["5/15 * * * *", "5,20,35,50 * * * *"],
  ["5-20/15 * * * *", "5,20 * * * *"],
  ["7/100 * * * *", "7 * * * *"],
  ["0 0 * * mon/2", "0 0 * * 1,3,5"],
  ["0 0 * JAN-mar Sun", "0 0 * 1,2,3 0"],
  ["0 0 *,5 * mon", "0 0 * * mon"],
  ["\t0\n0  *\u00a0* *", "0 0 * * *"],
  ["TZ=Europe/Berlin  @daily", "CRON_TZ=Europe/Berlin 0 0 * * *"],
  ["TZ= 0 0 * * *", "TZ=UTC 0 0 * * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@midnight", "@daily"],
  ["@hourly", "0 * * * *"],
  ["@every 1h30m", "@every 90m"],
  ["@every -5s", "@every 1s"],
  ["@every 0", "@every 1s"],
  ["@every 1.9s", "@every 1s"],
  ["@every .5h", "@every 1800s"],
  ["@every 1000000µs1000000μs1000000us", "@every 3s"],
];

for (const [one, other] of EQUAL) {
  test(`${JSON.stringify(one)} means ${JSON.stringify(other)}`, () => {
    assert.deepEqual(occurrences(one), occurrences(other));
  });
}

test("a field of commas only is accepted and never matches", () => {
  assert.equal(cron(", * * * *").next(Temporal.Instant.from("2026-01-01T00:00Z")), null);
  assert.equal(cron("0 0 , * ,").next(Temporal.Instant.from("2026-01-01T00:00Z")), null);
});

function occurrences(expression: string): string[] {
  const schedule = cron(expression, { timeZone: "America/New_York" });
  const found: string[] = [];
  let at: Temporal.Instant | null = Temporal.Instant.from("2026-03-01T00:00:30Z");
  while (found.length < 40 && (at = schedule.next(at)) !== null) found.push(at.toString());
  return found;
}

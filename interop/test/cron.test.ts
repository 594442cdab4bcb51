/** Cron: the same instants as Go's, and the same expressions refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { cron, type CronSchedule } from "riverqueue";
import { goMissing } from "../src/build-go-peer.ts";
import { spawnPeer } from "../src/peer.ts";
import { ACCEPTED_EXPRESSIONS, CRON_ZONES, REFUSED_EXPRESSIONS } from "../src/cron.data.ts";

failOnLeaks();

const skip = process.env["CI"] ? false : goMissing();
const AFTER = ["2026-11-30T12:34:56.789Z", "2027-03-13T00:00:00Z", "2024-02-28T23:59:59Z"];

/** The next instants of a schedule, fewer when there are no more. */
function nextInstants(schedule: CronSchedule, after: string, count: number): string[] {
  const instants: string[] = [];
  let at = schedule.next(Temporal.Instant.from(after));
  for (; at !== null && instants.length < count; at = schedule.next(at)) instants.push(at.toString());
  return instants;
}

for (const zone of CRON_ZONES) {
  test(
    `C27 the next 50 instants of ${ACCEPTED_EXPRESSIONS.length} expressions in ${zone} are Go's`,
    { skip, timeout: 180_000 },
    async (t) => {
      const go = await spawnPeer(t, "go");
      for (const [index, expression] of ACCEPTED_EXPRESSIONS.entries()) {
        const after = AFTER[index % AFTER.length] ?? "";
        const theirs = await go.call<string[]>("cron", { expression, zone, after, count: 50 });
        const ours = nextInstants(cron(expression, { timeZone: zone }), after, 50);
        assert.deepEqual(ours, theirs, `${expression} after ${after}`);
      }
    },
  );
}

test(
  "C27 gaps, repeats, half hours, missing midnights and impossible dates: skip and both are what Go does",
  { skip, timeout: 180_000 },
  async (t) => {
    const go = await spawnPeer(t, "go");
    for (const [expression, zone, after, expected] of [
      ["30 2 * * *", "America/New_York", "2027-03-13T12:00:00Z", ["2027-03-15T06:30:00Z"]],
      ["30 1 * * *", "America/New_York", "2027-11-07T00:00:00Z", ["2027-11-07T05:30:00Z", "2027-11-07T06:30:00Z"]],
      ["15 2 * * *", "Australia/Lord_Howe", "2027-10-02T00:00:00Z", ["2027-10-03T15:15:00Z"]],
      ["45 1 * * *", "Australia/Lord_Howe", "2027-04-03T00:00:00Z", ["2027-04-03T14:45:00Z", "2027-04-03T15:15:00Z"]],
      ["0 0 * * *", "America/Santiago", "2027-09-04T12:00:00Z", ["2027-09-06T03:00:00Z"]],
      ["0 0 * * *", "Africa/Cairo", "2027-04-29T12:00:00Z", ["2027-04-30T21:00:00Z"]],
      ["30 23 * * *", "Africa/Cairo", "2027-10-28T12:00:00Z", ["2027-10-28T20:30:00Z", "2027-10-28T21:30:00Z"]],
      ["30 1 * * *", "Antarctica/Troll", "2027-03-27T12:00:00Z", ["2027-03-28T23:30:00Z"]],
      ["0 0 29 2 *", "UTC", "2026-11-30T00:00:00Z", ["2028-02-29T00:00:00Z"]],
      ["0 0 30 2 1", "UTC", "2026-11-30T00:00:00Z", ["2027-02-01T00:00:00Z"]],
      ["0 0 30 2 *", "UTC", "2026-11-30T00:00:00Z", []],
      ["0 0 31 4,6,9,11 *", "UTC", "2026-11-30T00:00:00Z", []],
    ] as const) {
      const label = `${expression} ${zone}`;
      const count = Math.max(expected.length, 1);
      const theirs = await go.call<string[]>("cron", { expression, zone, after, count });
      const schedule = cron(expression, { timeZone: zone, onGap: "skip", onRepeat: "both" });
      const ours = nextInstants(schedule, after, count);
      assert.deepEqual(theirs, ours, label);
      assert.deepEqual(ours, expected, label);
    }
    const quarter = { expression: "*/15 * * * *", zone: "America/New_York", after: "2027-11-07T04:44:59Z", count: 11 };
    const theirs = await go.call<string[]>("cron", quarter);
    const schedule = cron(quarter.expression, { timeZone: quarter.zone, onGap: "skip", onRepeat: "both" });
    const first = Temporal.Instant.from("2027-11-07T04:45:00Z");
    const expected = Array.from({ length: 11 }, (_, index) => first.add({ minutes: 15 * index }).toString());
    assert.deepEqual([nextInstants(schedule, quarter.after, 11), theirs], [expected, expected]);
  },
);

test("expressions that Go refuses are refused", { skip, timeout: 180_000 }, async (t) => {
  const go = await spawnPeer(t, "go");
  for (const expression of REFUSED_EXPRESSIONS) {
    const params = { expression, zone: "", after: AFTER[0], count: 1 };
    await assert.rejects(go.call("cron", params), `Go accepts ${expression}`);
    assert.throws(() => cron(expression), `${expression} is accepted here`);
  }
});

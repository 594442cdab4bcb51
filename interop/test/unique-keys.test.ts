/** Unique keys by their bytes: vectors, and the names and paths of which Go lost values or still does. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { type JsonObject, parseJsonObject } from "riverqueue";
import { interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import type { PeerJobSpec } from "../src/peer-values.ts";
import { ALL_ARGS, LISTED_PATHS, PATH_LIKE_ARGS, PERIODS } from "../src/unique-keys.data.ts";

failOnLeaks();

const REQUIRED = ["available", "pending", "running", "scheduled"] as const;
const BY_ARGS = { byArgs: true } as const;
const AT = "2024-05-01T12:34:56.789Z";

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Each side makes a job that is a duplicate to the other; the key that both make of it. */
async function keyOf(ours: Peer, go: Peer, spec: PeerJobSpec, label: string): Promise<unknown> {
  const keys = [];
  for (const [first, second] of [
    [ours, go],
    [go, ours],
  ] as const) {
    const holder = await first.insert(spec);
    const again = await second.insert(spec);
    assert.deepEqual([holder.duplicate, again.duplicate, again.job.id], [false, true, holder.job.id], label);
    keys.push(holder.job.uniqueKey);
    await second.call("delete", { id: holder.job.id });
  }
  assert.equal(keys[0], keys[1], label);
  return keys[0];
}

interopTest(`${Object.keys(ALL_ARGS).join(" ")} all arguments: both sides make one key`, async (_, { peer }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  for (const [vector, text] of Object.entries(ALL_ARGS)) {
    await keyOf(ours, go, { kind: "kk", args: parseJsonObject(text), unique: BY_ARGS }, vector);
  }
});

interopTest(`${Object.keys(LISTED_PATHS).join(" ")} listed paths: both sides make one key`, async (_, { peer }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  for (const [vector, [byArgs, text]] of Object.entries(LISTED_PATHS)) {
    await keyOf(ours, go, { kind: "kk", tagged: vector, args: parseJsonObject(text), unique: { byArgs } }, vector);
  }
});

interopTest(`${Object.keys(PERIODS).join(" ")} periods: both sides make one key, in UTC`, async (_, { peer }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  const keys: Record<string, unknown> = {};
  for (const [vector, [scheduledAt, byPeriodMs]] of Object.entries(PERIODS)) {
    keys[vector] = await keyOf(ours, go, { kind: "kk", scheduledAt, unique: { byPeriodMs } }, vector);
  }
  assert.equal(keys["U89"], digest("&kind=kk&period=2024-05-01T12:00:00Z"));
  assert.equal(keys["U91"], keys["U89"]);
  assert.equal(keys["U90"], digest("&kind=kk&period=2024-04-30T00:00:00Z"));
  assert.equal(keys["U72"], keys["U90"]);
});

interopTest("U64 U66 U67 U68 U69 U70 other options: both sides make one key", async (_, { peer }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  const byState = REQUIRED;
  const cases: readonly (readonly [text: string, job: PeerJobSpec])[] = [
    ["&queue=default", { kind: "kk", unique: { excludeKind: true, byQueue: true } }],
    ["&kind=kk", { kind: "kk", unique: { byState } }],
    ["&kind=ns.job·v2:x", { kind: "ns.job·v2:x", unique: { byState } }],
    [
      '&kind=kk&args={"a":1}&period=2024-05-01T12:00:00Z&queue=q1',
      {
        kind: "kk",
        args: { a: 1 },
        queue: "q1",
        scheduledAt: AT,
        unique: { byArgs: true, byPeriodMs: 3_600_000, byQueue: true },
      },
    ],
    [
      '&args={"a":1}&period=2024-05-01T12:30:00Z',
      {
        kind: "kk",
        args: { a: 1 },
        scheduledAt: AT,
        unique: { excludeKind: true, byArgs: true, byPeriodMs: 900_000 },
      },
    ],
    [
      "&kind=kk&period=2024-05-01T12:34:00Z&queue=a-b_c",
      { kind: "kk", queue: "a-b_c", scheduledAt: AT, unique: { byPeriodMs: 60_000, byQueue: true } },
    ],
  ];
  for (const [text, job] of cases) assert.equal(await keyOf(ours, go, job, text), digest(text), text);
});

interopTest(
  `${Object.keys(PATH_LIKE_ARGS).join(" ")} names that look like paths: Go takes them as they are since 0.48, and we refuse them`,
  async (_, { peer, query }) => {
    const [ours, go] = [await peer("ours"), await peer("go")];
    await Promise.all([ours.open(), go.open()]);
    for (const [vector, texts] of Object.entries(PATH_LIKE_ARGS)) {
      const jobs = texts.map((text): PeerJobSpec => ({ kind: vector, args: parseJsonObject(text), unique: BY_ARGS }));
      for (const job of jobs) {
        assert.equal((await go.insert(job)).duplicate, false, `${vector}: Go no longer loses the value`);
        assert.equal((await go.insert(job)).duplicate, true, vector);
      }
      await assert.rejects(ours.insert(jobs[0] as PeerJobSpec), /cannot be used when all args are compared/, vector);
    }
    // An empty name, which older Go clients refused too.
    const nameless = { kind: "kk", args: { "": 1 }, unique: BY_ARGS };
    assert.equal((await go.insert(nameless)).duplicate, false);
    await assert.rejects(ours.insert(nameless), /cannot be used when all args are compared/);
    assert.equal((await query("SELECT id FROM river_job")).length, 2 * Object.keys(PATH_LIKE_ARGS).length + 1);
  },
);

/** Arguments with the name `a` twice. */
function twice(second: number): PeerJobSpec {
  return { kind: "kk", tagged: "repeated", args: { second }, unique: BY_ARGS };
}

interopTest("U43 of a name that is written twice Go compares the first value only", async (_, { peer }) => {
  const go = await peer("go");
  await go.open();
  const { job } = await go.insert(twice(2));
  assert.equal(job.uniqueKey, digest('&kind=kk&args={"a":1}'));
  assert.equal((await go.insert(twice(3))).duplicate, true, "Go still loses the second value");
});

interopTest("U58 U62 U63 paths that Go reads in its own ways are refused here", async (_, { peer }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  const cases: readonly (readonly [tagged: string, args: JsonObject, fragment: string, paths: string[], RegExp])[] = [
    ["nameless", { B: 2, c: 3 }, '{"B":2,"c":3}', ["", "-", "c"], /path "": segment "" cannot be used/],
    ["digit", { a: { 1: 5 } }, '{"a":[null,5]}', ["a.1"], /path "a\.1": segment "1" cannot be used/],
    ["firstDigit", { 2: 5 }, "[null,null,5]", ["2"], /path "2": segment "2" cannot be used/],
  ];
  for (const [tagged, args, fragment, byArgs, refusal] of cases) {
    const { job } = await go.insert({ kind: "kk", tagged, args, unique: BY_ARGS });
    assert.equal(job.uniqueKey, digest(`&kind=kk&args=${fragment}`), tagged);
    await assert.rejects(ours.insert({ kind: "kk", args, unique: { byArgs } }), refusal);
    // Since 0.48 a field whose tag has no name is compared by the name that it is encoded under.
    if (tagged !== "nameless") continue;
    const again = await ours.insert({ kind: "kk", args, unique: { byArgs: ["B", "c"] } });
    assert.deepEqual([again.duplicate, again.job.id], [true, job.id]);
  }
});

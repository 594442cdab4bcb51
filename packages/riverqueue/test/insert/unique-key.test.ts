import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import * as fc from "fast-check";
import { InsertFaults } from "../../src/definition/insert-faults.ts";
import type { UniqueOptions } from "../../src/definition/unique-options.ts";
import { readInsertOptions } from "../../src/definition/read-insert-options.ts";
import { fragmentOfAllArgs, fragmentOfPaths, keysUnusableInFragment } from "../../src/insert/args-fragment.ts";
import { periodBound } from "../../src/insert/period-bound.ts";
import { uniqueKey, uniqueKeyText, type UniqueKeySource } from "../../src/insert/unique-key.ts";
import { copyJsonObject } from "../../src/json/copy-json-value.ts";
import { encodeStoredJson } from "../../src/json/encode-stored-json.ts";
import { PATH_VECTORS, PERIOD_VECTORS, REFUSED_KEY_VECTORS, ALL_ARGS_VECTORS } from "./testdata/unique-key-vectors.ts";

const instant = Temporal.Instant.from("2024-05-01T12:34:56.789Z");

function normalized(unique: UniqueOptions) {
  const faults = new InsertFaults();
  const options = readInsertOptions(faults, { unique }, "");
  faults.throwValidation();
  assert(options.unique);
  return options.unique;
}

function source(encodedArgs: string, more: Partial<UniqueKeySource> = {}): UniqueKeySource {
  return { kind: "k", queue: "default", encodedArgs, scheduledAt: instant, ...more };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

for (const { id, what, encodedArgs, fragment, sha256 } of ALL_ARGS_VECTORS) {
  test(`${id} all arguments: ${what}`, () => {
    assert.equal(fragmentOfAllArgs(encodedArgs), fragment);
    assert.deepEqual(keysUnusableInFragment(encodedArgs), []);
    assert.equal(hex(uniqueKey(source(encodedArgs), normalized({ byArgs: true }))), sha256);
  });
}

for (const { id, what, encodedArgs, keys } of REFUSED_KEY_VECTORS) {
  test(`${id} is refused, not reproduced: ${what}`, () => {
    assert.deepEqual(keysUnusableInFragment(encodedArgs), keys);
  });
}

for (const { id, what, paths, encodedArgs, fragment, sha256 } of PATH_VECTORS) {
  test(`${id} listed paths: ${what}`, () => {
    const unique = normalized({ byArgs: paths });
    assert.equal(fragmentOfPaths(encodedArgs, unique.byArgs as string[]), fragment);
    assert.equal(hex(uniqueKey(source(encodedArgs), unique)), sha256);
  });
}

test("listed paths are sorted by their keys, backslashes not counted", () => {
  const unique = normalized({ byArgs: ["a0", "a\\.b", "a-b"] });
  assert.deepEqual(unique.byArgs, ["a-b", "a\\.b", "a0"]);
  assert.equal(fragmentOfPaths('{"a0":1,"a.b":2,"a-b":3}', unique.byArgs), '{"a-b":3,"a.b":2,"a0":1}');
});

for (const [id, path, segment] of [
  ["U58", "", ""],
  ["U62", "a.1", "1"],
  ["U63", "2", "2"],
] as const) {
  test(`${id} is refused, not reproduced: path "${path}"`, () => {
    assert.throws(() => normalized({ byArgs: [path, "c"] }), {
      name: "ValidationError",
      message: `unique.byArgs: path "${path}": segment "${segment}" cannot be used`,
    });
  });
}

for (const [id, unique, more, text, sha256] of [
  [
    "U64",
    { byQueue: true, excludeKind: true },
    {},
    "&queue=default",
    "fffa389d37481a994381bbc1cba6b5f5ab4edcdb76f84faf148c9b8d41d9662a",
  ],
  [
    "U65",
    { byState: [], excludeKind: true },
    {},
    "",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ],
  ["U66", { byState: [] }, {}, "&kind=k", "9d78902f4035bd015b206296690ce807676d9a2f28f12e6b93c21ec961eef537"],
  [
    "U67",
    { byState: [] },
    { kind: "ns.job·v2:x" },
    "&kind=ns.job·v2:x",
    "3745cc548f5217b28c6a3310f12421ae1a1fe6a356501dcfc1ac5acbf1c5a875",
  ],
  [
    "U68",
    { byArgs: true, byPeriod: { hours: 1 }, byQueue: true },
    { queue: "q1" },
    '&kind=k&args={"a":1}&period=2024-05-01T12:00:00Z&queue=q1',
    "fcab03c429a6d7a14691d9b564dc1e2a4afc7f9002845c81557a94e93cb575bf",
  ],
  [
    "U69",
    { byArgs: true, byPeriod: { minutes: 15 }, excludeKind: true },
    {},
    '&args={"a":1}&period=2024-05-01T12:30:00Z',
    "6d0e38f92aff5ea71817107177e63973e7fae870d3dfd1747833d99fb8ec45f9",
  ],
  [
    "U70",
    { byPeriod: { minutes: 1 }, byQueue: true },
    { queue: "a-b_c" },
    "&kind=k&period=2024-05-01T12:34:00Z&queue=a-b_c",
    "9bc8c7aea82e02ec96d5b371064ba69f172e7175259735dacaf12abf8ff5f289",
  ],
] as const) {
  test(`${id} other options: ${text || "the empty text"}`, () => {
    const from = source('{"a":1}', more);
    assert.equal(uniqueKeyText(from, normalized(unique)), text);
    assert.equal(hex(uniqueKey(from, normalized(unique))), sha256);
  });
}

for (const { id, instant: at, period, bound, sha256 } of PERIOD_VECTORS) {
  test(`${id} period of ${period} ns around ${at}`, () => {
    const scheduledAt = Temporal.Instant.from(at);
    assert.equal(periodBound(scheduledAt, period), bound);
    const byPeriod = { seconds: Number(period / 1_000_000_000n), nanoseconds: Number(period % 1_000_000_000n) };
    assert.equal(hex(uniqueKey(source("{}", { scheduledAt }), normalized({ byPeriod }))), sha256);
  });
}

test("A.2 further period bounds", () => {
  for (const [duration, bound] of [
    [{ minutes: 1 }, "2024-05-01T12:34:00Z"],
    [{ minutes: 15 }, "2024-05-01T12:30:00Z"],
    [{ hours: 1 }, "2024-05-01T12:00:00Z"],
    [{ hours: 24 }, "2024-05-01T00:00:00Z"],
    [{ days: 7 }, "2024-04-29T00:00:00Z"],
    [{ hours: 7 }, "2024-05-01T08:00:00Z"],
    [{ hours: 1000 }, "2024-04-25T00:00:00Z"],
  ] as const) {
    assert.equal(uniqueKeyText(source("{}"), normalized({ byPeriod: duration })), `&kind=k&period=${bound}`);
  }
});

test("A.1 key texts with their hashes", () => {
  for (const [unique, from, text, sha256] of [
    [
      { byState: [] },
      { kind: "worker_7" },
      "&kind=worker_7",
      "6ad46d4771a5db81e05a454f0cae07dc75bd0a77152255d4852a7463161df3cb",
    ],
    [
      { byQueue: true },
      { kind: "worker_6", queue: "email_queue" },
      "&kind=worker_6&queue=email_queue",
      "26b1abe28abd7a0d215b0881bff7a77e408d71da6166d43272c0179ea058d3dc",
    ],
    [
      { byArgs: true, excludeKind: true },
      { encodedArgs: '{"task_id":"task_123"}' },
      '&args={"task_id":"task_123"}',
      "4b48cf5f2559d1de919b01391108cc5577d10e6e56a10bda33618b98b6054252",
    ],
    [
      { byArgs: true },
      { kind: "worker_1" },
      "&kind=worker_1&args={}",
      "8a7ac299a41c27cd6f9fd578368f1330752168a7bf53761a5baba22ec7ab226a",
    ],
    [
      { byArgs: true },
      { kind: "worker_3", encodedArgs: '{"description":"A generic job without unique fields.","count":10}' },
      '&kind=worker_3&args={"count":10,"description":"A generic job without unique fields."}',
      "57514e752744015802c9d4d4935f9d216a943cf859a21e577b65741dac7302e4",
    ],
    [
      { byArgs: ["subject", "addresses.recipient"] },
      {
        kind: "worker_1",
        encodedArgs: '{"subject":"Another Test Email","addresses":{"recipient":"john@example.com","cc":1}}',
      },
      '&kind=worker_1&args={"addresses":{"recipient":"john@example.com"},"subject":"Another Test Email"}',
      "d178957fb90c9a06f83b4141be35e7f3ad4b06af382245b0a27558eb2f7130b6",
    ],
    [
      { byPeriod: { hours: 1 } },
      { kind: "worker_4" },
      "&kind=worker_4&period=2024-05-01T12:00:00Z",
      "afb2e1d33c66800830a19db7206071774d62ec5defb4bf2ec672c46f0aefa117",
    ],
    [
      { byArgs: true, byPeriod: { days: 7 }, byQueue: true },
      { encodedArgs: '{"z":{"y":1,"x":2},"a":"\\u003cb\\u003e"}' },
      '&kind=k&args={"a":"\\u003cb\\u003e","z":{"y":1,"x":2}}&period=2024-04-29T00:00:00Z&queue=default',
      "8ac992de78b832889070fa765096a60b6031a67bddd6a440511cf0bcd713dff4",
    ],
  ] as const) {
    const key = source("{}", from);
    assert.equal(uniqueKeyText(key, normalized(unique)), text);
    assert.equal(hex(uniqueKey(key, normalized(unique))), sha256);
  }
});

test("C04 the key over __proto__.isAdmin is that of the text, and pollutes nothing", () => {
  const encoded = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"}';
  const text = uniqueKeyText(source(encoded), normalized({ byArgs: ["__proto__.isAdmin"] }));
  assert.equal(text, '&kind=k&args={"__proto__":{"isAdmin":true}}');
  assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
});

const safeKey = fc.stringMatching(/^[a-zA-Z_$é𝒳ﬀ][a-zA-Z0-9_$é𝒳ﬀ-]{0,5}$/u);
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.string(),
  fc.double({ min: -1, max: 1, noNaN: true }),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.string(), scalar, { maxKeys: 3 }));
const args = fc.dictionary(safeKey, value, { maxKeys: 6, noNullPrototype: true });

function encode(object: object): string {
  return encodeStoredJson(copyJsonObject(object));
}

test("the key does not depend on the order of top-level keys", () => {
  fc.assert(
    fc.property(args, fc.infiniteStream(fc.nat()), (given, random) => {
      const shuffled = Object.entries(given)
        .map((entry) => ({ entry, rank: random.next().value ?? 0 }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ entry }) => entry);
      const unique = normalized({ byArgs: true });
      const reordered = Object.fromEntries(shuffled);
      assert.equal(uniqueKeyText(source(encode(given)), unique), uniqueKeyText(source(encode(reordered)), unique));
    }),
  );
});

test("the key differs as soon as a compared value differs, and only then", () => {
  fc.assert(
    fc.property(args, safeKey, fc.integer(), fc.integer(), (given, key, one, other) => {
      const texts = [one, other].map((each) => encode({ ...given, [key]: each }));
      const keys = (unique: UniqueOptions) => texts.map((text) => hex(uniqueKey(source(text), normalized(unique))));
      const [all1, all2] = keys({ byArgs: true });
      assert.equal(all1 === all2, one === other);
      const [listed1, listed2] = keys({ byArgs: [key] });
      assert.equal(listed1 === listed2, one === other);
      const rest = Object.keys(given).filter((each) => each !== key);
      const [rest1, rest2] = keys({ byArgs: rest.length > 0 ? rest : ["absent"] });
      assert.equal(rest1, rest2);
    }),
  );
});

test("the fragment over all arguments is their JSON, sorted", () => {
  fc.assert(
    fc.property(args, (given) => {
      const text = encode(given);
      assert.deepEqual(JSON.parse(fragmentOfAllArgs(text)), JSON.parse(text));
    }),
  );
});

test("the key is the SHA-256 of its text", () => {
  const unique = normalized({ byArgs: true, byQueue: true });
  const key = uniqueKey(source('{"é":1}'), unique);
  const text = uniqueKeyText(source('{"é":1}'), unique);
  assert.equal(hex(key), createHash("sha256").update(text).digest("hex"));
  assert.equal(key.byteLength, 32);
});

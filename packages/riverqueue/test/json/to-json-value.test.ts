import assert from "node:assert/strict";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { copyJsonValue } from "../../src/json/copy-json-value.ts";
import { exactJsonNumber } from "../../src/json/exact-json-number.ts";
import { rawJson } from "../../src/json/raw-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";
import { toJsonObject, toJsonValue } from "../../src/json/to-json-value.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";

function assertRefused(value: unknown, path: string, problem: RegExp): void {
  for (const refuse of [toJsonValue, stringifyJson]) {
    assert.throws(
      () => refuse(value),
      (error) => {
        assert.ok(error instanceof ValidationError);
        assert.equal(error.name, "JsonValueError");
        assert.equal(Reflect.get(error, "path"), path);
        assert.match(error.message, problem);
        return true;
      },
    );
  }
}

function nested(depth: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

function inArray(inner: unknown): unknown {
  return [inner];
}

function inObject(inner: unknown): unknown {
  return { a: inner };
}

test("what is not JSON is refused with its path", () => {
  class Money {
    amount = 5;
  }
  const sparse = [1, 2, 3];
  Reflect.deleteProperty(sparse, 1);
  const accessor = Object.defineProperty({}, "x", { get: () => 1, enumerable: true });
  for (const [bad, problem] of [
    [NaN, /expected a finite number, got NaN/],
    [-Infinity, /expected a finite number, got -Infinity/],
    [2 ** 53, /integer beyond/],
    [1e300, /integer beyond/],
    [1n, /got a bigint/],
    [Symbol("s"), /got a symbol/],
    [() => 1, /got a function/],
    [new Date(0), /got an instance of Date/],
    [new Money(), /got an instance of Money/],
    [new Map(), /got an instance of Map/],
    [new (class extends Array {})(), /instance of a class/],
    [new String("s"), /got an instance of String/],
    [Temporal.Duration.from({ seconds: 1 }), /got an instance of Temporal.Duration|got an instance of Duration/],
    [new Uint8Array(1), /got an instance of Uint8Array/],
    [Object.create({ inherited: 1 }), /got an object/],
    [{ [Symbol("key")]: 1 }, /string keys only/],
    [rawJson.rawJSON('"text"'), /text of a JSON number/],
    [rawJson.rawJSON("1e131071"), /at most 4,096 digits/],
  ] as const) {
    assertRefused(bad, "$", problem);
    assertRefused({ a: [bad] }, "$.a[0]", problem);
    assertRefused([{ "odd key": bad }], '$[0]["odd key"]', problem);
  }
  assertRefused(accessor, "$.x", /data property, got an accessor/);
  assertRefused({ list: sparse }, "$.list[1]", /without holes/);
  assertRefused(Object.defineProperty([1], 0, { get: () => 1 }), "$[0]", /accessor/);
  assertRefused(undefined, "$", /got undefined/);
  assertRefused([1, undefined], "$[1]", /got undefined/);
  assertRefused({ a: { toJSON: () => "x" } }, "$.a.toJSON", /got a function/);
});

test("C02: NUL and lone surrogates are refused in values and keys, with the path", () => {
  assertRefused({ s: "a\0b" }, "$.s", /a string without U\+0000/);
  assertRefused({ s: "\ud800" }, "$.s", /a string without lone surrogates/);
  assertRefused({ s: "\udc00\ud800" }, "$.s", /a string without lone surrogates/);
  assertRefused({ o: { "a\0b": 1 } }, '$.o["a\\u0000b"]', /a key without U\+0000/);
  assertRefused({ "\udfff": 1 }, '$["\\udfff"]', /a key without lone surrogates/);
  assertRefused("\0", "$", /U\+0000/);
  assert.equal(toJsonValue("😀\uFFFD\u0001"), "😀\uFFFD\u0001");
});

test("C04: values that contain themselves are refused with the path of the repetition", () => {
  const direct: Record<string, unknown> = { a: 1 };
  direct["self"] = direct;
  assertRefused(direct, "$.self", /circular/);
  const list: unknown[] = [];
  list.push({ back: [list] });
  assertRefused({ list }, "$.list[0].back[0]", /circular/);
  const shared = { n: 1 };
  assert.equal(stringifyJson([shared, { shared }]), '[{"n":1},{"shared":{"n":1}}]');
});

test("the limit of nesting is 1,000 objects and arrays, on every way in and without exhausting the stack", () => {
  for (const wrap of [inArray, inObject]) {
    assert.equal(typeof stringifyJson(nested(1_000, wrap, 1)), "string");
    for (const depth of [1_001, 50_000]) {
      assert.throws(() => toJsonValue(nested(depth, wrap, 1)), {
        name: "JsonValueError",
        message: /expected at most 1,000 nested objects and arrays$/,
      });
    }
  }
  assert.equal(typeof stringifyJson(nested(999, inObject, [])), "string");
  assert.throws(() => copyJsonValue({ a: {} }, { maxDepth: 1, subject: "job output" }), {
    message: "job output at $.a: expected at most 1 nested objects and arrays",
  });
});

test("a value at the limit of nesting is copied and written from a stack that is nearly used up", () => {
  const deepest = nested(500, (inner) => ({ a: [inner] }), 1);
  const text = stringifyJson(deepest);
  // Goes down until nothing more fits, then tries the deepest value at some distance from there.
  const written: string[] = [];
  const descend = (): number => {
    let distance = 0;
    try {
      distance = descend() + 1;
    } catch {
      return 0;
    }
    if (distance === 1_000) written.push(stringifyJson(deepest));
    return distance;
  };
  descend();
  assert.deepEqual(written, [text]);
});

test("values that are small in memory and endless as text are refused", () => {
  assert.throws(() => toJsonValue(nested(900, (inner) => [inner, inner], [])), /at most 1,000,000 objects and arrays/);
  const megabyte = "x".repeat(1_048_576);
  assert.throws(() => toJsonValue(Array.from({ length: 40 }, () => megabyte)), /must not exceed 32 MiB/);
  assert.throws(
    () => toJsonValue({ list: Object.assign([], { length: 4_000_000_000 }) }),
    /\.list\[0\]: expected an array without holes/,
  );
  const tokens = Array.from({ length: 300 }, () => exactJsonNumber("1e4095"));
  assert.throws(() => toJsonValue(tokens), /exact numbers of at most 1,048,576 digits in all/);
  assert.equal(JSON.stringify(toJsonValue(tokens.slice(0, 99))).length, 99 * 7 + 1);
});

test("the copy is independent, without prototypes, and omits what is undefined", () => {
  const source = { a: { b: [1] }, gone: undefined, kept: null };
  const copy = toJsonObject(source);
  source.a.b.push(2);
  assert.equal(stringifyJson(copy), '{"a":{"b":[1]},"kept":null}');
  assert.equal(Object.getPrototypeOf(copy), null);
  assert.equal(Object.getPrototypeOf(copy["a"]), null);
  const hidden = Object.defineProperty({ a: 1 }, "b", { value: () => 1, enumerable: false });
  assert.equal(stringifyJson(hidden), '{"a":1}');
});

test("C04: `__proto__` is data in values too", () => {
  const copy = toJsonObject(JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}'));
  assert.equal(stringifyJson(copy), '{"__proto__":{"isAdmin":true},"constructor":1}');
  assert.equal(Reflect.get({}, "isAdmin"), undefined);
});

test("plain objects and arrays of other realms are plain", () => {
  assert.equal(stringifyJson(runInNewContext("({ a: [1, { b: null }] })")), '{"a":[1,{"b":null}]}');
  assertRefused(runInNewContext("new Date(0)"), "$", /instance of Date/);
});

test("negative zero and exact numbers pass unchanged", () => {
  assert.ok(Object.is(toJsonValue(-0), -0));
  assert.equal(stringifyJson([-0, exactJsonNumber("0.10")]), "[-0,0.10]");
});

test("hostile proxies are refused or read once, never a foreign error", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const throwing = new Proxy({}, { ownKeys: () => assert.fail("trap") });
  for (const hostile of [proxy, { a: throwing }, new Proxy([], { getPrototypeOf: () => assert.fail("trap") })]) {
    assert.throws(() => toJsonValue(hostile), { name: "JsonValueError", message: /fails when read/ });
  }
  const endless: object = new Proxy(
    { a: 1 },
    { getOwnPropertyDescriptor: () => ({ value: endless, enumerable: true, configurable: true }) },
  );
  assert.throws(() => toJsonValue(endless), /circular/);
});

test("toJsonObject refuses arrays, primitives and numbers of either kind", () => {
  for (const value of [[], null, 1, "s", true, exactJsonNumber("9007199254740993")]) {
    assert.throws(() => toJsonObject(value), {
      name: "JsonValueError",
      message: /JSON value at \$: expected an object/,
    });
  }
});

test("long keys and long paths are cut in messages", () => {
  assertRefused({ ["k".repeat(5_000)]: NaN }, `$["${"k".repeat(100)}…"]`, /finite/);
  assertRefused(
    nested(200, (inner) => [inner], NaN),
    `$${"[0]".repeat(100)}…`,
    /finite/,
  );
});

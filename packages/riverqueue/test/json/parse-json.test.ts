import assert from "node:assert/strict";
import test from "node:test";
import { isExactJsonNumber } from "../../src/json/exact-json-number.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { parseJson, parseJsonObject } from "../../src/json/parse-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";

/** Tokens that a `number` holds, and its value. */
const PLAIN: readonly [token: string, value: number][] = [
  ["0", 0],
  ["-0", -0],
  ["-0.0", -0],
  ["0e999", 0],
  ["1.0", 1],
  ["0.10", 0.1],
  ["1E5", 100_000],
  ["1e-7", 1e-7],
  ["5e-324", 5e-324],
  ["0.000001", 1e-6],
  ["9007199254740991", 9_007_199_254_740_991],
  ["-9007199254740991", -9_007_199_254_740_991],
  ["1.0000000000000000000", 1],
  ["0.1000000000000000", 0.1],
  ["1000000000000000e-15", 1],
  [`0.${"0".repeat(399)}1e400`, 1],
  ["123456789012345e-99", 123_456_789_012_345e-99],
  ["2.2250738585072014e-308", 2.2250738585072014e-308],
];

/** Tokens that no `number` holds. */
const EXACT: readonly string[] = [
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "18446744073709551615",
  "1e16",
  "123456789012345e9",
  "1e+21",
  "1.5e300",
  "1e400",
  "-1E+400",
  "1e-400",
  "-1e-400",
  "0.1000000000000000055511151231257827",
  "0.12345678901234567",
  "1.7976931348623159e308",
  "1e131071",
  "12345678901234567.5",
];

const SURROUNDINGS: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => `[${token}]`,
  (token) => `[1,${token},2]`,
  (token) => `{"a":${token}}`,
  (token) => `{"a" :\n\t ${token}\r}`,
  (token) => `[[],{"a":{"b":["x\\"y",${token}]}}]`,
];

function only(value: JsonValue, depth: number): JsonValue {
  if (depth === 0 || value === null || typeof value !== "object") return value;
  return Object.values(value).reduce<JsonValue>((_, element) => element, null);
}

test("C03: a token becomes a number exactly when the number has its decimal value", () => {
  for (const [token, value] of PLAIN) {
    for (const surround of SURROUNDINGS.slice(0, 2)) assert.equal(only(parseJson(surround(token)), 1), value, token);
  }
  for (const token of EXACT) {
    const parsed = parseJson(`[${token}]`);
    assert.ok(isExactJsonNumber(only(parsed, 1)), token);
  }
});

test("C03: exact tokens keep their text wherever they stand", () => {
  for (const token of EXACT.filter((text) => text !== "1e131071")) {
    for (const surround of SURROUNDINGS) {
      const text = surround(token);
      assert.equal(stringifyJson(parseJson(text)), text.replaceAll(/\s/g, ""), text);
    }
  }
});

test("C03: every digit of stored arguments survives, and the big number is neither null nor infinite", () => {
  const text =
    '{"id":9007199254740993,"min":-9223372036854775808,"d":0.1000000000000000055511151231257827,"big":1e400}';
  assert.equal(stringifyJson(parseJson(text)), text);
  assert.equal(JSON.stringify(parseJson(text)), text);
});

for (const [path, extra] of [
  ["fast", ""],
  ["exact", ',"id":9007199254740993'],
] as const) {
  test(`C04: hostile keys are ordinary data on the ${path} path`, () => {
    const text = `{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"${extra}}`;
    const parsed = parseJsonObject(text);
    assert.equal(Object.getPrototypeOf(parsed), null);
    assert.deepEqual(Object.keys(parsed).slice(0, 4), ["__proto__", "constructor", "", "toString"]);
    assert.equal(Object.getPrototypeOf(parsed["constructor"]), null);
    const spread: Record<string, unknown> = { ...parsed };
    const assigned: object = Object.assign(Object.create(null), parsed);
    assert.equal(Reflect.get({}, "isAdmin"), undefined);
    assert.ok(Object.hasOwn(spread, "__proto__") && Object.hasOwn(assigned, "__proto__"));
    assert.equal(stringifyJson(parsed), text);
  });

  test(`the last of repeated keys wins on the ${path} path`, () => {
    assert.equal(stringifyJson(parseJson(`{"a":1,"b":2,"a":3${extra}}`)), `{"a":3,"b":2${extra}}`);
  });

  test(`all kinds of values, escapes and whitespace are read on the ${path} path`, () => {
    const text = ` [true , false,null,"","a\\"\\\\",{ "k\\u0041\\n" : [ ] , "l":{}${extra}}, -1.5,\t"é\u2028" ]\r\n`;
    const expected = JSON.parse(text, (_, value) => value);
    assert.deepEqual(JSON.parse(stringifyJson(parseJson(text))), expected);
  });

  test(`any depth is read on the ${path} path`, () => {
    const depth = 50_000;
    let value = parseJson(`${"[".repeat(depth)}[0${extra.replace(',"id":', ",")}]${"]".repeat(depth)}`);
    let levels = 0;
    for (; Array.isArray(value) && value.length === 1; value = value[0]) levels++;
    assert.equal(levels >= depth, true);
  });
}

test("text in strings that looks like an inexact number stays text", () => {
  const text = '{"a":"x: 12345678901234567890","b":": 1e999","12345678901234567":"c"}';
  assert.equal(stringifyJson(parseJson(text)), text);
});

test("what other programs may have stored is read although it could not be written", () => {
  assert.deepEqual(parseJson('["a\\u0000b","\\ud800"]'), ["a\0b", "\ud800"]);
});

test("a token of millions of digits is read in time that does not explode", () => {
  const token = `1${"0".repeat(2_000_000)}1`;
  const parsed = parseJson(token);
  assert.ok(isExactJsonNumber(parsed) && parsed.rawJSON === token);
  assert.equal(parseJson(`1.${"0".repeat(2_000_000)}`), 1);
});

test("bad text is a JsonValueError that does not repeat it", () => {
  for (const text of ["", "secret", "{secret}", '{"a":secret', "01", "1.", '"a\nb"', "[1,]", "NaN", '{"a":1}x']) {
    assert.throws(
      () => parseJson(text),
      (error: Error & { path?: string }) => {
        assert.equal(error.name, "JsonValueError");
        assert.equal(error.path, "$");
        assert.equal(error.message, "JSON text: expected well-formed JSON");
        assert.equal(error.cause, undefined);
        return true;
      },
    );
  }
  assert.throws(() => Reflect.apply(parseJson, undefined, [5]), {
    name: "JsonValueError",
    message: "JSON text: expected a string, got a number",
  });
});

test("parseJsonObject refuses everything but an object", () => {
  for (const [text, found] of [
    ["[]", "an array"],
    ["null", "null"],
    ['"s"', "a string"],
    ["5", "a number"],
    ["9007199254740993", "a number"],
    ["true", "a boolean"],
  ] as const) {
    assert.throws(() => parseJsonObject(text), {
      name: "JsonValueError",
      message: `JSON text at $: expected an object, got ${found}`,
    });
  }
});

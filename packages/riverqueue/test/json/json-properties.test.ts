import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { copyJsonValue } from "../../src/json/copy-json-value.ts";
import { encodeStoredJson } from "../../src/json/encode-stored-json.ts";
import { exactJsonNumber, isJsonNumber, jsonNumberToBigInt } from "../../src/json/exact-json-number.ts";
import { parseJson } from "../../src/json/parse-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";
import { writeJsonText } from "../../src/json/write-json-text.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";

/** Texts of JSON numbers of every shape. */
const token = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.constant("0"), fc.bigInt({ min: 1n, max: 10n ** 25n }).map(String)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,25}$/)),
    fc.oneof(
      fc.constant(""),
      fc.tuple(fc.constantFrom("e", "E", "e+", "E-"), fc.nat(420)).map((parts) => parts.join("")),
    ),
  )
  .map((parts) => parts.join(""));

const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "", "10", "9", "é", "<&>"));

/** JSON texts with any whitespace, numbers and keys. */
const jsonText = fc.letrec<{ value: string; list: string; object: string }>((tie) => {
  const blank = fc.constantFrom("", " ", "\n\t");
  const text = fc.string({ unit: "grapheme" }).filter((string) => !string.includes("\0"));
  const wrap = (open: string, close: string, items: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(blank, fc.array(items, { maxLength: 4 }))
      .map(([space, all]) => `${open}${space}${all.join(`${space},${space}`)}${space}${close}`);
  return {
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("true", "false", "null"),
      token,
      text.map((string) => JSON.stringify(string)),
      tie("list"),
      tie("object"),
    ),
    list: wrap("[", "]", tie("value")),
    object: wrap(
      "{",
      "}",
      fc.tuple(key, tie("value")).map(([name, value]) => `${JSON.stringify(name)}:${value}`),
    ),
  };
}).value;

/** The value of a number token as a fraction of integers, computed without the code under test. */
function rational(text: string): { numerator: bigint; scale: number } {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [integer = "", fraction = ""] = mantissa.split(".");
  return { numerator: BigInt(integer.replace("-", "") + fraction), scale: fraction.length - Number(exponent) };
}

function sameMagnitude(left: string, right: string): boolean {
  const a = rational(left);
  const b = rational(right);
  const common = Math.max(a.scale, b.scale);
  return a.numerator * 10n ** BigInt(common - a.scale) === b.numerator * 10n ** BigInt(common - b.scale);
}

test("parsing a number token never changes its decimal value or its sign", () => {
  fc.assert(
    fc.property(token, (text) => {
      const parsed = parseJson(text);
      assert.ok(isJsonNumber(parsed));
      const written = stringifyJson(parsed);
      assert.ok(sameMagnitude(text, written), `${text} became ${written}`);
      assert.equal(written.startsWith("-"), text.startsWith("-"));
    }),
    { numRuns: 2_000 },
  );
});

test("integers of any size come back as the same bigint", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (integer) => {
      const parsed = parseJson(`[${integer}]`);
      assert.ok(Array.isArray(parsed));
      assert.equal(jsonNumberToBigInt(parsed[0]), integer);
      assert.equal(jsonNumberToBigInt(exactJsonNumber(String(integer))), integer);
    }),
  );
});

test("encoding a parsed text is stable and has the text's structure", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const first = encodeStoredJson(copyJsonValue(parseJson(text)));
      assert.equal(encodeStoredJson(copyJsonValue(parseJson(first))), first);
      assert.equal(encodeStoredJson(parseJson(text)), first);
      // Rounds the numbers of both sides alike, and compares all the rest.
      assert.deepEqual(JSON.parse(first), JSON.parse(text));
      assert.doesNotMatch(first, /[<>&\u2028\u2029]/);
    }),
    { numRuns: 1_000 },
  );
});

test("the copy of any JSON value is that value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      try {
        // JSON.stringify makes 0 of -0, which stringifyJson keeps; so both sides go through it.
        assert.deepEqual(throughJson(JSON.parse(stringifyJson(value))), throughJson(value));
      } catch (error) {
        // These are JSON for JavaScript and refused here.
        if (!(error instanceof JsonValueError)) throw error;
        assert.match(error.message, /integer beyond|U\+0000/);
      }
    }),
  );
});

test("any value is accepted or refused with a JsonValueError, and what is accepted is storable", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    stringUnit: "binary",
  });
  fc.assert(
    fc.property(anything, (value) => {
      try {
        const text = encodeStoredJson(copyJsonValue(value));
        assert.ok(text.isWellFormed() && !text.includes(String.raw`\u0000`));
        assert.doesNotThrow(() => JSON.parse(text));
      } catch (error) {
        if (!(error instanceof JsonValueError)) throw error;
        assert.match(error.path, /^\$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("any text is parsed as JSON.parse would or refused with a JsonValueError", () => {
  const mutilated = fc
    .tuple(jsonText, fc.nat(60), fc.string({ maxLength: 2 }))
    .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at + 1));
  fc.assert(
    fc.property(mutilated, (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        assert.throws(() => parseJson(text), JsonValueError);
        return;
      }
      // Rounds the exact numbers again, and compares all the rest.
      assert.deepEqual(JSON.parse(writeJsonText(parseJson(text))), expected);
    }),
    { numRuns: 1_000 },
  );
});

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

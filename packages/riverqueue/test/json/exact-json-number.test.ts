import assert from "node:assert/strict";
import test from "node:test";
import {
  exactJsonNumber,
  isExactJsonNumber,
  isJsonNumber,
  jsonNumberToBigInt,
} from "../../src/json/exact-json-number.ts";
import { rawJson } from "../../src/json/raw-json.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";

test("exactJsonNumber keeps the text of any JSON number", () => {
  for (const token of [
    "0",
    "-0",
    "1.0",
    "0.10",
    "1E5",
    "9007199254740993",
    "-1e-400",
    "1e4095",
    `0.${"1".repeat(4095)}`,
  ]) {
    assert.equal(exactJsonNumber(token).rawJSON, token);
    assert.equal(JSON.stringify({ n: exactJsonNumber(token) }), `{"n":${token}}`);
  }
});

test("exactJsonNumber refuses other text and numbers that would explode", () => {
  const bad = ["", " 1", "1 ", "+1", "01", "1.", ".5", "1e", "0x1", "NaN", "Infinity", '"1"', "true", "1n", "１"];
  const large = ["1e4096", "1e131071", "1e131073", "1e-4096", "1e99999999999999999999", "9".repeat(4097), "0e-9999"];
  for (const token of [...bad, ...large, 5, 5n, null, undefined, {}]) {
    assert.throws(() => Reflect.apply(exactJsonNumber, undefined, [token]), JsonValueError);
  }
  assert.throws(() => exactJsonNumber("1e131071"), /expected the text of a JSON number of at most 4,096 digits/);
});

test("isExactJsonNumber and isJsonNumber tell numbers from everything else", () => {
  const exact = exactJsonNumber("9007199254740993");
  assert.ok(isExactJsonNumber(exact) && isJsonNumber(exact));
  for (const value of [0, -0, 1.5, 9_007_199_254_740_991, 5e-324]) {
    assert.ok(isJsonNumber(value) && !isExactJsonNumber(value));
  }
  const raw = ['"text"', "true", "null"].map((text) => rawJson.rawJSON(text));
  for (const value of [...raw, 2 ** 53, 1e300, NaN, Infinity, 1n, "1", null, undefined, {}, { rawJSON: "1" }]) {
    assert.ok(!isJsonNumber(value) && !isExactJsonNumber(value));
  }
});

test("jsonNumberToBigInt gives integers exactly", () => {
  for (const [value, integer] of [
    [0, 0n],
    [-0, 0n],
    [-9_007_199_254_740_991, -9_007_199_254_740_991n],
    [exactJsonNumber("9223372036854775807"), 9_223_372_036_854_775_807n],
    [exactJsonNumber("-9223372036854775808"), -9_223_372_036_854_775_808n],
    [exactJsonNumber("1.50e1"), 15n],
    [exactJsonNumber("100e-2"), 1n],
    [exactJsonNumber("-0.0"), 0n],
    [exactJsonNumber("0e-5"), 0n],
    [exactJsonNumber("1e400"), 10n ** 400n],
  ] as const) {
    assert.equal(jsonNumberToBigInt(value), integer);
  }
});

test("jsonNumberToBigInt refuses fractions, inexact numbers and endless ones", () => {
  const raw = ["1.5", "15e-1", "1e-400", "1e131071", "1e999999999999"].map((text) => rawJson.rawJSON(text));
  for (const value of [...raw, 1.5, 2 ** 53, NaN, Infinity, "1", 1n, null]) {
    assert.throws(() => Reflect.apply(jsonNumberToBigInt, undefined, [value]), JsonValueError);
  }
});

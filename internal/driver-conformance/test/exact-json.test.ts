/** The suite's own idea of JSON. */
import assert from "node:assert/strict";
import test from "node:test";
import { canonicalJson, containsJson, readExactJson } from "../src/exact-json.ts";

test("texts of one value have one canonical text, whatever the size of their numbers", () => {
  const same = [
    ['{"a": 1.50, "b":[ 1e3 ]}', '{"b":[1000.0],"a":15e-1}'],
    ['{"n":-0}', '{"n":0.00e9}'],
    ['{"n":1e400}', `{"n":1${"0".repeat(400)}}`],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"__proto__":{"x":1}}', '{ "__proto__" : {"x":1} }'],
  ] as const;
  for (const [one, other] of same) assert.equal(canonicalJson(one), canonicalJson(other));
  const different = [
    ['{"n":9007199254740993}', '{"n":9007199254740992}'],
    ['{"n":1}', '{"n":"1"}'],
    ["[1,2]", "[2,1]"],
    ['{"__proto__":1}', "{}"],
    ["[]", "{}"],
  ] as const;
  for (const [one, other] of different) assert.notEqual(canonicalJson(one), canonicalJson(other));
});

function contains(value: string, part: string): boolean {
  return containsJson(readExactJson(value), readExactJson(part));
}

test("an object contains its members, an array any of its elements, a scalar itself", () => {
  assert.ok(contains('{"a":{"b":1.0,"c":[1,{"d":2,"e":3}]}}', '{"a":{"b":1,"c":[{"d":2}]}}'));
  assert.ok(contains('{"a":[1]}', '{"a":[1,1]}'));
  assert.ok(!contains('{"a":[1]}', '{"a":1}'));
  assert.ok(!contains('{"a":1}', '{"a":[1]}'));
  assert.ok(!contains('{"a":null}', '{"b":null}'));
  assert.ok(!contains('{"a":[]}', '{"a":{}}'));
});

import assert from "node:assert/strict";
import test from "node:test";
import { nearestName } from "../src/arguments/nearest-name.ts";

test("the nearest name is found through letters left out, added, replaced and exchanged", () => {
  const known = ["main", "reaction", "fleet"];
  for (const [name, expected] of [
    ["mian", "main"],
    ["man", "main"],
    ["maiin", "main"],
    ["MAIN", "main"],
    ["reactoins", "reaction"],
    ["fleat", "fleet"],
    ["other", null],
    ["", null],
    ["x", null],
  ] as const) {
    assert.equal(nearestName(name, known), expected, name);
  }
});

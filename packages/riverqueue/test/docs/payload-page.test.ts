import assert from "node:assert/strict";
import test from "node:test";
import * as limits from "../../src/json/json-limits.ts";
import * as recorded from "../../src/model/errors/recorded-error.ts";
import { Page } from "./testdata/read-page.ts";

test("every limit of the code stands in the table of limits", () => {
  const table = new Page("reference/payload-contract.md").section("Limits");
  const numbers = Object.entries({ ...limits, ...recorded }).filter(([name]) => name.endsWith("_LIMIT"));
  assert.equal(numbers.length, 8);
  for (const [name, limit] of numbers) {
    assert.match(table, new RegExp(`(?<![\\d,])${Number(limit).toLocaleString("en")}(?![\\d,])`), name);
  }
});

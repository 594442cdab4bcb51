import assert from "node:assert/strict";
import test from "node:test";
import { checkFileLength } from "../file-length.ts";

const lengths = (path: string, lines: number): string[] =>
  checkFileLength([{ path, text: "x\n".repeat(lines) }]).map(({ line, message }) => `${line} ${message}`);

test("production files may have 400 lines", () => {
  assert.deepEqual(lengths("packages/a/src/b.ts", 400), []);
  assert.deepEqual(lengths("packages/a/src/b.ts", 401), ["401 has 401 lines; the limit is 400"]);
  assert.deepEqual(lengths("scripts/b.mjs", 401), ["401 has 401 lines; the limit is 400"]);
});

test("test files may have 600 lines", () => {
  assert.deepEqual(lengths("packages/a/test/b.test.ts", 600), []);
  assert.deepEqual(lengths("packages/a/test/b.test.ts", 601), ["601 has 601 lines; the limit is 600"]);
});

test("data tables may be as long as the data", () => {
  assert.deepEqual(lengths("packages/a/test/testdata/b.ts", 5000), []);
  assert.deepEqual(lengths("packages/a/src/b.data.ts", 5000), []);
});

test("a README may have 200 lines, other documents any number", () => {
  assert.deepEqual(lengths("README.md", 201), ["201 has 201 lines; the limit is 200"]);
  assert.deepEqual(lengths("docs/reference/a.md", 5000), []);
});

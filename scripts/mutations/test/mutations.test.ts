// The table of changes cannot rot: what it changes is there, and the files that must notice exist.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { applyMutation } from "../apply-mutation.ts";
import { MUTATIONS } from "../mutations.data.ts";

const root = dirname(dirname(dirname(import.meta.dirname)));

test("every change of the table can be made, and every test file is there", () => {
  const problems = MUTATIONS.flatMap(({ file, tests, ...change }) => {
    const missing = tests.filter((path) => !existsSync(join(root, path))).map((path) => `no file ${path}`);
    try {
      applyMutation(readFileSync(join(root, file), "utf8"), change);
      return missing;
    } catch (error) {
      return [...missing, `${file}: ${(error as Error).message}`];
    }
  });
  assert.deepEqual(problems, []);
  const names = MUTATIONS.map(({ file, from, to }) => `${file} ${from} ${to}`);
  assert.equal(new Set(names).size, names.length, "no change is there twice");
});

test("a change is made in one place or not at all", () => {
  assert.equal(applyMutation("a = 1; b = 2", { from: "b = 2", to: "$& = 3" }), "a = 1; $& = 3");
  assert.throws(() => applyMutation("a a", { from: "a", to: "b" }), /found 2 times/);
  assert.throws(() => applyMutation("a", { from: "c", to: "b" }), /found 0 times/);
  assert.throws(() => applyMutation("a", { from: "a", to: "a" }), /changes nothing/);
});

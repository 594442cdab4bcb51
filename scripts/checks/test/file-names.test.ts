import assert from "node:assert/strict";
import test from "node:test";
import { checkFileNames } from "../file-names.ts";

const manifest = { path: "packages/a/package.json", text: '{ "exports": { ".": { "s": "./src/index.ts" } } }' };
const messages = (path: string): string[] =>
  checkFileNames([manifest, { path, text: "" }]).map(({ message }) => message);

test("telling names are allowed", () => {
  assert.deepEqual(messages("packages/a/src/claim-jobs.ts"), []);
  assert.deepEqual(messages("packages/a/test/claim-jobs.test.ts"), []);
  assert.deepEqual(messages("packages/a/test/claim-jobs.test-d.ts"), []);
});

test("names that collect unrelated things are not, for files and folders", () => {
  for (const path of ["packages/a/src/utils.ts", "packages/a/test/helpers.test.ts", "packages/a/src/lib/claim.ts"]) {
    assert.match(messages(path).join(), /collects unrelated things/, path);
  }
});

test("names in another case are not", () => {
  assert.match(messages("packages/a/src/claimJobs.ts").join(), /kebab-case/);
});

test("an index.ts is the entry of a package and nothing else", () => {
  assert.deepEqual(messages("packages/a/src/index.ts"), []);
  assert.match(messages("packages/a/src/room/index.ts").join(), /only the entry/);
});

/** What the suite does about a database that is missing, and what it says at the end. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("testdata/absent-database.ts", import.meta.url));

interface Run {
  readonly passed: boolean;
  readonly output: string;
}

function run(env: Readonly<Record<string, string>>): Promise<Run> {
  const { CI: _, NODE_TEST_CONTEXT: __, ...others } = process.env;
  const { promise, resolve } = Promise.withResolvers<Run>();
  const options = { env: { ...others, ...env }, maxBuffer: 64_000_000 };
  execFile(process.execPath, ["--conditions=@riverqueue/source", FILE], options, (error, stdout) =>
    resolve({ passed: error === null, output: stdout }),
  );
  return promise;
}

test("without a database everything is skipped, with the reason and the count", async () => {
  for (const env of [{}, { CI: "" }]) {
    const { passed, output } = await run(env);
    assert.ok(passed);
    const [, ran, skipped] = /conformance of Nowhere: (\d+) tests ran, (\d+) were skipped/.exec(output) ?? [];
    assert.equal(ran, "0");
    assert.ok(Number(skipped) > 300);
    assert.match(output, new RegExp(`${skipped} skipped: no server`));
  }
});

test("where conformance is mandatory a missing database is a failure", async () => {
  const { passed, output } = await run({ CI: "true" });
  assert.ok(!passed);
  assert.match(output, /conformance is mandatory here, and cannot be tested: no server/);
});

test("a reason to skip must belong to a test, and every test that is not skipped runs", async () => {
  const unknown = await run({ SKIPPED_TITLE: "there is no such title" });
  assert.match(unknown.output, /no test is called there is no such title/);
  const known = await run({ SKIPPED_TITLE: "an inserted job is answered as it is stored" });
  assert.doesNotMatch(known.output, /no test is called/);
  assert.match(known.output, /2 skipped: not here/);
  for (const { passed, output } of [unknown, known]) {
    assert.ok(!passed);
    assert.match(output, /there is no server/);
  }
});

/** The measurements of Reaction run, so that they cannot rot; their figures mean nothing here. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { spawnNode } from "@riverqueue/internal-test-kit";

async function run(t: TestContext, program: string, ...args: readonly string[]): Promise<string> {
  const child = spawnNode(t, new URL(`../src/${program}`, import.meta.url), args);
  assert.equal((await child.exit({ deadlineMs: 150_000 })).code, 0, child.log);
  return child.log;
}

test("the measurement of emits runs", async (t) => {
  const output = await run(t, "reaction-emit.ts", "--count=20", "--in-flight=5", "--rounds=1");
  assert.match(output, /^emit, one async command: +\d+\/s/m);
  assert.match(output, /^ratio: \d/m);
});

test("the measurement of drains runs", async (t) => {
  const output = await run(t, "reaction-drain.ts", "--count=20", "--concurrency=1,5", "--rounds=1");
  assert.equal(output.match(/^ {2}ratio: \d/gm)?.length, 2);
});

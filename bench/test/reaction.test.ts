import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";

const SOURCES = join(dirname(import.meta.dirname), "src");

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const words = ["--conditions=@riverqueue/source", join(SOURCES, program), ...args];
  return (await promisify(execFile)(process.execPath, words)).stdout;
}

test("the measurement of emits runs", async () => {
  const output = await run("reaction-emit.ts", "--count=20", "--in-flight=5", "--rounds=1");
  assert.match(output, /^emit, one async command: +\d+\/s/m);
  assert.match(output, /^ratio: \d/m);
});

test("the measurement of drains runs", async () => {
  const output = await run("reaction-drain.ts", "--count=20", "--concurrency=1,5", "--rounds=1");
  assert.equal(output.match(/^ {2}ratio: \d/gm)?.length, 2);
});

import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { pollUntil, type SpawnedNode, spawnNode, temporaryFolder } from "@riverqueue/internal-test-kit";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** The TypeScript fences of a document, in order. */
function fences(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  return [...text.matchAll(/^```ts[^\n]*\n([^]*?)^```$/gm)].map((match) => match[1] ?? "");
}

/** Runs files as the program of a new user: in a folder of their own, beside the packages. */
function runProgram(t: TestContext, files: Readonly<Record<string, string>>): SpawnedNode {
  const folder = temporaryFolder(t);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
  return spawnNode(t, join(folder, "main.ts"), [], { cwd: folder });
}

async function worksAndStops(program: SpawnedNode, output: string): Promise<void> {
  await pollUntil(() => program.log.includes(output) || null);
  assert.deepEqual(await program.kill("SIGINT"), { code: 0, signal: null });
}

test("the program of the README works a job, and stops when it is asked to", async (t) => {
  const [main = ""] = fences("README.md");
  await worksAndStops(runProgram(t, { "main.ts": main }), "resizing cat.jpg to 640");
});

test("the program of the tutorial fails once, tries again, and stops when it is asked to", async (t) => {
  const [greet = "", main = ""] = fences("docs/tutorial/first-job.md");
  await worksAndStops(runProgram(t, { "greet.ts": greet, "main.ts": main }), "hello Ada, at attempt 2");
});

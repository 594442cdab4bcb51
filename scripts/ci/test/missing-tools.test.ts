/** What the steps of continuous integration do where a tool is missing. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";

const parts = new URL("../", import.meta.url);

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a module in a process of its own, with `CI` set to `ci`, or unset. */
function run(source: string, ci: string | undefined, path = process.env["PATH"]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    encoding: "utf8",
    env: { ...process.env, CI: ci, PATH: path, NODE_TEST_CONTEXT: undefined },
  });
  return { code: status, output: stdout + stderr };
}

const GIVE_UP = `import { skipOrFail } from ${JSON.stringify(new URL("skip-or-fail.ts", parts))};
skipOrFail("Postgres 9", "there is none");`;

test("a step whose tool is missing is skipped with the reason, and fails in continuous integration", () => {
  for (const ci of [undefined, ""]) {
    assert.deepEqual(run(GIVE_UP, ci), { code: 0, output: "skipped: Postgres 9: there is none\n" });
  }
  assert.deepEqual(run(GIVE_UP, "true"), { code: 1, output: "failed: Postgres 9: there is none\n" });
});

const LOOK = `import { missingProgram } from ${JSON.stringify(new URL("debian-package.ts", parts))};
console.log(missingProgram(process.execPath, "node"));
console.log(missingProgram("/nowhere/program", "no-such-package"));`;

test("a package is installed in continuous integration only", () => {
  const reason = "there is no /nowhere/program; on Debian: apt-get install no-such-package";
  // A PATH without programs, so that this test does not ask any registry.
  assert.deepEqual(run(LOOK, undefined, "/nowhere"), { code: 0, output: `null\n${reason}\n` });
  const { output } = run(LOOK, "true", "/nowhere");
  assert.equal(output.includes("apt-get install -y"), process.getuid?.() === 0);
  assert.ok(output.endsWith(`${reason}\n`), output);
});

test("a version that nobody knows is an error", () => {
  const script = new URL("test-postgres.ts", parts).pathname;
  const { status, stderr } = spawnSync(process.execPath, [script, "9"], { encoding: "utf8" });
  assert.match(stderr, /give a version, 15 or 17/);
  assert.equal(status, 2);
});

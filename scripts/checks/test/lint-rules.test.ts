// Shows that the linter, with this repository's settings, finds what the house relies on it for.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";

const root = dirname(dirname(dirname(import.meta.dirname)));

/** The rules that a folder of these files breaks. */
function brokenRules(files: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "lint-rules-"));
  try {
    // The types of Node are looked up from here.
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    const settings = { extends: join(root, "tsconfig.dev.json"), include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const linter = join(root, "node_modules", "oxlint", "bin", "oxlint");
    const config = join(root, ".oxlintrc.json");
    const args = [linter, "--type-aware", "--format=json", "-c", config, ...Object.keys(files)];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    assert.match(stdout, /^\{/, stderr);
    const report = JSON.parse(stdout) as { diagnostics: { code: string }[] };
    return report.diagnostics.map(({ code }) => code).toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a cycle of imports is found, also one of types alone", () => {
  assert.deepEqual(
    brokenRules({
      "a.ts": 'import type { B } from "./b.ts";\nexport interface A {\n  b?: B;\n}\n',
      "b.ts": 'import type { C } from "./c.ts";\nexport interface B {\n  c?: C;\n}\n',
      "c.ts": 'import type { A } from "./a.ts";\nexport interface C {\n  a?: A;\n}\n',
    }),
    ["import(no-cycle)", "import(no-cycle)", "import(no-cycle)"],
  );
});

test("a promise that nobody waits for is found", () => {
  assert.deepEqual(brokenRules({ "a.ts": "export async function a(): Promise<void> {}\na();\n" }), [
    "typescript(no-floating-promises)",
  ]);
});

test("a promise where a plain value is expected is found", () => {
  assert.deepEqual(brokenRules({ "a.ts": "export async function a(): Promise<void> {}\nif (a()) console.log();\n" }), [
    "typescript(no-misused-promises)",
  ]);
});

test("a test that node:test collects is no floating promise", () => {
  assert.deepEqual(brokenRules({ "a.ts": 'import test from "node:test";\ntest("a", async () => {});\n' }), []);
});

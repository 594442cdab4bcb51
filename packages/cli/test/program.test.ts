import assert from "node:assert/strict";
import { execFile, type ExecFileException } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import type { CliResult } from "./fixture/run-cli.ts";
import { sqliteFile } from "./fixture/run-cli.ts";

failOnLeaks();

const PROGRAM = join(import.meta.dirname, "../src/bin.ts");
const LAUNCHER = join(import.meta.dirname, "../bin/riverqueue.cjs");
const testdata = (name: string): string => join(import.meta.dirname, "testdata", name);

/** Runs node to its end. */
function node(args: readonly string[]): Promise<CliResult> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PGDATABASE: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error: ExecFileException | null, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

const program = (...argv: string[]) => node(["--conditions=@riverqueue/source", PROGRAM, ...argv]);
const withoutPg = (...argv: string[]) =>
  node(["--conditions=@riverqueue/source", "--import", testdata("without-pg.ts"), PROGRAM, ...argv]);

test("the program has the arguments, the streams and the exit code of its process", async (t) => {
  const { url } = sqliteFile(t);
  const up = await program("migrate-up", "--database-url", url, "--max-steps", "1");
  assert.deepEqual([up.code, up.stderr], [0, ""]);
  assert.match(up.stdout, /^applied migration 001 \[up\] create river migration \[[\d.]+m?s\]\n$/);
  const validated = await program("validate", "--verbose", "--database-url", url);
  assert.deepEqual(validated, { code: 1, stdout: "", stderr: "info: Unapplied migrations: [2 3 4 5 6 7 8]\n" });
  const wrong = await program("validate");
  assert.deepEqual([wrong.code, wrong.stdout], [1, ""]);
  assert.match(wrong.stderr, /^riverqueue: no database is named/);
});

test("a Postgres database without pg installed says what to install, and SQLite needs none", async (t) => {
  const { url } = sqliteFile(t);
  assert.deepEqual(await withoutPg("validate", "--database-url", "postgres://u:secret@127.0.0.1:1/d"), {
    code: 1,
    stdout: "",
    stderr: 'riverqueue: a Postgres database needs the package "pg" beside this one: npm install pg\n',
  });
  assert.equal((await withoutPg("migrate-up", "--database-url", url)).code, 0);
});

test("the launcher runs the program of its package on this Node.js, and tells older ones what is missing", async (t) => {
  const folder = temporaryFolder(t);
  const [launcher, built] = [join(folder, "bin/riverqueue.cjs"), join(folder, "dist/bin.js")];
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "dist"));
  copyFileSync(LAUNCHER, launcher);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(built, "import { argv } from 'node:process'; console.log(argv.slice(2).join());");
  assert.deepEqual(await node([launcher, "validate", "-v"]), { code: 0, stdout: "validate,-v\n", stderr: "" });
  assert.deepEqual(await node(["--require", testdata("pretend-old-node.cjs"), launcher, "validate"]), {
    code: 1,
    stdout: "",
    stderr: "riverqueue: Node.js 26 or newer is needed; this is Node.js 20.11.1\n",
  });
});

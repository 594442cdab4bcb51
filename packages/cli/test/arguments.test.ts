import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { run, type RunOptions } from "@riverqueue/cli";
import packageJson from "../package.json" with { type: "json" };
import { runCli } from "./fixture/run-cli.ts";

failOnLeaks();

const COMMANDS = ["migrate-up", "migrate-down", "migrate-list", "migrate-get", "validate", "version"];
const VERSIONS = `River version ${packageJson.version}\nNode.js ${process.version}\n`;

test("version and --version print the versions of the program and of Node.js", async () => {
  for (const argv of [["version"], ["--version"], ["-v", "--version"], ["version", "--debug"]]) {
    assert.deepEqual(await runCli(argv), { code: 0, stdout: VERSIONS, stderr: "" });
  }
});

test("without a command, with help and with --help the commands are listed", async () => {
  const { code, stdout, stderr } = await runCli([]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Usage: riverqueue COMMAND \[flags\]\n/);
  const listed = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}/gm)].map(([, name]) => name);
  assert.deepEqual(listed, COMMANDS);
  for (const argv of [["help"], ["--help"], ["-h"], ["-v"]]) assert.equal((await runCli(argv)).stdout, stdout);
});

test("each command has help with its flags, under the name of the program", async () => {
  const own: Record<string, string[]> = {
    "migrate-up": ["database-url", "schema", "line", "target-version", "max-steps", "dry-run", "show-sql"],
    "migrate-down": ["database-url", "schema", "line", "target-version", "max-steps", "dry-run", "show-sql"],
    "migrate-list": ["database-url", "schema", "line"],
    "migrate-get": ["version", "all", "up", "down", "exclude-version", "line", "schema", "database-url"],
    validate: ["database-url", "schema", "line"],
    version: [],
  };
  const everywhere = ["statement-timeout", "verbose", "debug", "help"];
  for (const name of COMMANDS) {
    const { code, stdout, stderr } = await runCli([name, "--help"], { program: "my-river" });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.startsWith(`Usage: my-river ${name} [flags]\n\n`));
    const flags = [...stdout.matchAll(/^ {2}(?:-\w, | {4})--([a-z-]+)/gm)].map(([, flag]) => flag);
    assert.deepEqual(flags, [...(own[name] ?? []), ...everywhere]);
    for (const argv of [
      [name, "-h"],
      ["help", name],
      ["-h", name],
    ]) {
      assert.equal((await runCli(argv, { program: "my-river" })).stdout, stdout);
    }
  }
});

test("what is wrong with the words is said in one line, with the nearest name", async () => {
  for (const [words, message] of [
    ["migrate-upp", 'unknown command "migrate-upp"; did you mean migrate-up?'],
    ["migraet-get", 'unknown command "migraet-get"; did you mean migrate-get?'],
    ["bench", `unknown command "bench"; known are ${COMMANDS.join(", ")}`],
    ["help validat", 'unknown command "validat"; did you mean validate?'],
    ["help validate version", "help is for one command at a time"],
    ["validate now", 'unexpected argument "now" of validate'],
    ["validate -- --schema", 'unexpected argument "--schema" of validate'],
    [
      "validate --databse-url=postgres://u:secret@h/d",
      "unknown flag --databse-url of validate; did you mean --database-url?",
    ],
    ["validate --max-steps 3", "validate does not take --max-steps"],
    ["validate --qwertz", "unknown flag --qwertz of validate"],
    ["validate -x", "unknown flag -x of validate"],
    ["--verbos", "unknown flag --verbos; did you mean --verbose?"],
    ["migrate-up --line --dry-run", "--line needs a value: --line NAME"],
    ["migrate-up --database-url", "--database-url needs a value: --database-url URL"],
    ["migrate-up --line=", "--line needs a name"],
    ["migrate-up --schema=", "--schema needs a name"],
    ["migrate-up --max-steps 1.5", '--max-steps needs a whole number, not "1.5"'],
    [
      "migrate-up --target-version 99999999999999999999",
      '--target-version needs a whole number, not "99999999999999999999"',
    ],
    ["migrate-up --dry-run=yes", "--dry-run takes no value, or =true or =false"],
    ["validate --debug --verbose", "--debug and --verbose exclude each other"],
    ["version --debug -v", "--debug and --verbose exclude each other"],
    ["version --statement-timeout 10", '--statement-timeout needs a duration such as 10s or 1m30s, not "10"'],
    ["version --statement-timeout 1ms", "--statement-timeout must be greater than 1ms"],
    ["version --statement-timeout 0", "--statement-timeout must be greater than 1ms"],
    ["version --statement-timeout 600h", "--statement-timeout must be at most 2147483647ms"],
  ] as const) {
    assert.deepEqual(
      await runCli(words.split(" ")),
      { code: 1, stdout: "", stderr: `riverqueue: ${message}\n` },
      words,
    );
  }
});

test("flags may stand before the command, and the last of several counts", async () => {
  const words = "--debug=false --statement-timeout 2s --statement-timeout=1m30s -v version";
  assert.equal((await runCli(words.split(" "))).stdout, VERSIONS);
});

test("run takes streams of Node.js, and never rejects", async () => {
  const stdout = new PassThrough();
  assert.equal(await run(["version"], { stdin: new PassThrough(), stdout }), 0);
  assert.equal(String(stdout.read()), VERSIONS);

  const failing = {
    write(): boolean {
      throw new Error("closed");
    },
  };
  assert.equal(await run(["version"], { stdout: failing, stderr: failing }), 1);
  const reported = await runCli(["version"], { stdout: failing });
  assert.deepEqual(reported, { code: 1, stdout: "", stderr: "riverqueue: unexpected Error: closed\n" });
  const notWords = await runCli([1] as unknown as string[]);
  assert.deepEqual(notWords, { code: 1, stdout: "", stderr: "riverqueue: argv must be a list of strings\n" });
});

test("options that are wrong are named", async (t) => {
  const lines: string[] = [];
  t.mock.method(process.stderr, "write", (text: string) => lines.push(text));
  const codes: number[] = [];
  for (const options of [
    null,
    { migrationsLines: {} },
    { qwertz: 1 },
    { program: "" },
    { stdin: {} },
    { stdout: 1 },
    { stderr: null },
    { migrationLines: 1 },
    { migrationLines: { extra: [] } },
  ]) {
    codes.push(await run(["version"], options as unknown as RunOptions));
  }
  t.mock.restoreAll();
  assert.deepEqual(
    codes,
    codes.map(() => 1),
  );
  assert.deepEqual(lines, [
    "riverqueue: options must be an object\n",
    "riverqueue: options.migrationsLines is not an option; did you mean migrationLines?\n",
    "riverqueue: options.qwertz is not an option; known are migrationLines, program, stdin, stdout, stderr\n",
    "riverqueue: options.program must be a non-empty string\n",
    "riverqueue: options.stdin must be a readable stream\n",
    "riverqueue: options.stdout must be a writable stream\n",
    "riverqueue: options.stderr must be a writable stream\n",
    "riverqueue: options.migrationLines must be an object of functions by name of the line\n",
    "riverqueue: options.migrationLines.extra must be a function that returns migrations\n",
  ]);
});

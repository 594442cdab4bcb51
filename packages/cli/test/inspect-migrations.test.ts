import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { loadMigrations, type MigrationBackend } from "@riverqueue/migrate";
import { runCli, sqliteFile } from "./fixture/run-cli.ts";

failOnLeaks();

test("migrate-list marks the newest applied version, and indents nothing while none is applied", async (t) => {
  const { url, path, open } = sqliteFile(t);
  const list = () => runCli(["migrate-list", "--database-url", url]);
  const names = loadMigrations("sqlite").map(({ version, name }) => `00${version} ${name}`);
  const before = await list();
  assert.deepEqual(before, {
    code: 0,
    stdout: `${names.join("\n")}\n`,
    stderr: `warning: ${path} does not exist\n`,
  });
  assert.equal(existsSync(path), false, "reading makes no file");

  await runCli(["migrate-up", "--database-url", url, "--target-version", "6"]);
  const marked = names.map((name) => (name.startsWith("006") ? `* ${name}` : `  ${name}`));
  assert.deepEqual(await list(), { code: 0, stdout: `${marked.join("\n")}\n`, stderr: "" });

  open().exec("insert into river_migration (line, version) values ('main', 99)");
  assert.equal((await list()).stdout, `${marked.join("\n")}\n`, "a newer version than is known is left aside");
});

test("validate exits with 1 when migrations are missing, and logs them at level info", async (t) => {
  const { url, path } = sqliteFile(t);
  const validate = (...flags: string[]) => runCli(["validate", "--database-url", url, ...flags]);
  assert.deepEqual(await validate(), { code: 1, stdout: "", stderr: `warning: ${path} does not exist\n` });
  assert.equal(existsSync(path), false);
  await runCli(["migrate-up", "--database-url", url, "--max-steps", "6"]);
  assert.deepEqual(await validate(), { code: 1, stdout: "", stderr: "" });
  const listed = { code: 1, stdout: "", stderr: "info: Unapplied migrations: [7 8]\n" };
  assert.deepEqual(await validate("-v"), listed);
  assert.deepEqual(await validate("--verbose"), listed);
  const debug = await validate("--debug");
  assert.deepEqual(debug, { ...listed, stderr: `debug: SQLite database ${path}\n${listed.stderr}` });
  await runCli(["migrate-up", "--database-url", url]);
  assert.deepEqual(await validate("-v"), { code: 0, stdout: "", stderr: "" });
});

const get = (words: string) => runCli(["migrate-get", ...words.split(" ")]);
const sql = (
  backend: MigrationBackend,
  version: number,
  direction: "up" | "down",
  schema: string | null = null,
): string => {
  const migration = loadMigrations(backend, { schema }).find((candidate) => candidate.version === version);
  assert.ok(migration);
  const text = direction === "up" ? migration.upSql : migration.downSql;
  return `-- River main migration 00${version} [${direction}]\n${text.trim()}\n`;
};

test("migrate-get prints versions as listed, each under a comment, a blank line between", async () => {
  const expectations: [string, string][] = [
    ["--version 3 --up", sql("postgres", 3, "up")],
    ["--version 3,1 --down", `${sql("postgres", 3, "down")}\n${sql("postgres", 1, "down")}`],
    ["--version 1 --up --version=2", `${sql("postgres", 1, "up")}\n${sql("postgres", 2, "up")}`],
    ["--version 1,2,3 --exclude-version 1,3 --up", sql("postgres", 2, "up")],
    ["--version 1 --exclude-version 1 --up", ""],
    ["--version 2 --up --database-url sqlite://", sql("sqlite", 2, "up")],
    ["--version 2 --up --database-url sqlite:///nowhere/at/all", sql("sqlite", 2, "up")],
    ["--version 2 --up --database-url postgresql://nobody@nowhere.invalid/x", sql("postgres", 2, "up")],
    ['--version 2 --up --schema a"b', sql("postgres", 2, "up", 'a"b')],
  ];
  for (const [words, stdout] of expectations)
    assert.deepEqual(await get(words), { code: 0, stdout, stderr: "" }, words);
});

/** The versions of what is printed, in order. */
const numbers = async (words: string): Promise<string> =>
  (await get(words)).stdout
    .split("\n")
    .flatMap((line) => /^-- River main migration 00(\d) \[(?:up|down)\]$/.exec(line)?.[1] ?? [])
    .join("");

test("migrate-get --all ascends with --up and descends with --down", async () => {
  assert.equal(await numbers("--all --up"), "12345678");
  assert.equal(await numbers("--all --down"), "87654321");
  assert.equal(await numbers("--all --exclude-version 1 --exclude-version 4,99 --down"), "876532");
});

test("migrate-get says what is missing and what excludes what", async () => {
  for (const [words, message] of [
    ["--version 3", "one of --up and --down is needed"],
    ["--version 3 --up --down", "--up and --down exclude each other"],
    ["--up", "one of --all and --version is needed"],
    ["--up --all --version 3", "--all and --version exclude each other"],
    ["--up --version 3,99", "version 99 is not known; known are 1 to 8"],
    ["--up --version 3,x", '--version needs versions such as 3 or 1,2,3, not "x"'],
    ["--up --version 3,", '--version needs versions such as 3 or 1,2,3, not ""'],
    ["--up --all --exclude-version 1.5", '--exclude-version needs versions such as 3 or 1,2,3, not "1.5"'],
    ["--up --all --schema a --database-url sqlite://", "--schema is for Postgres: a SQLite database has no schemas"],
    [
      "--up --all --database-url mysql://u:secret@h/d",
      "--database-url has the scheme mysql://; it must begin with postgres://, postgresql:// or sqlite://",
    ],
  ] as const) {
    assert.deepEqual(await get(words), { code: 1, stdout: "", stderr: `riverqueue: ${message}\n` }, words);
  }
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { Migration } from "@riverqueue/migrate";
import { runCli, sqliteFile } from "./fixture/run-cli.ts";

failOnLeaks();

const EXTRA: Migration[] = [
  { version: 1, name: "first", upSql: "create table extra_1 (a);", downSql: "drop table extra_1;" },
  { version: 2, name: "a second one", upSql: "\ncreate table extra_2 (a);\n", downSql: "drop table extra_2;" },
];
const extra = { migrationLines: { extra: () => EXTRA } };

const failing = () => {
  throw new TypeError("no\nfile at postgres://a:b@c/d");
};
/** Durations differ from run to run. */
const withoutDurations = (text: string): string => text.replace(/\[\d+(?:\.\d+)?(?:ns|µs|ms|s)\]/g, "[TIME]");

test("migrate-up applies everything, one line a version, names in a column", async (t) => {
  const { url, open } = sqliteFile(t);
  const { code, stdout, stderr } = await runCli(["migrate-up", "--database-url", url]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    withoutDurations(stdout),
    [
      "applied migration 001 [up] create river migration                           [TIME]",
      "applied migration 002 [up] initial schema                                   [TIME]",
      "applied migration 003 [up] river job tags non null                          [TIME]",
      "applied migration 004 [up] pending and more                                 [TIME]",
      "applied migration 005 [up] migration unique client                          [TIME]",
      "applied migration 006 [up] bulk unique                                      [TIME]",
      "applied migration 007 [up] notification outbox sqlite jsonb and sql cleanup [TIME]",
      "applied migration 008 [up] job id autoincrement                             [TIME]",
      "",
    ].join("\n"),
  );
  assert.equal(open().prepare("select count(*) as n from river_migration").get()?.["n"], 8);
  assert.deepEqual(await runCli(["migrate-up", "--database-url", url]), {
    code: 0,
    stdout: "no migrations to apply\n",
    stderr: "",
  });
});

test("--max-steps and --target-version limit the way up, and a reached target is no error", async (t) => {
  const { url } = sqliteFile(t);
  const up = (...flags: string[]) => runCli(["migrate-up", "--database-url", url, ...flags]);
  assert.equal((await up("--max-steps", "2")).stdout.trim().split("\n").length, 2);
  assert.equal((await up("--max-steps=0")).stdout, "no migrations to apply\n");
  assert.equal((await up("--max-steps", "-1")).stdout, "no migrations to apply\n");
  const third = await up("--target-version", "3");
  assert.equal(withoutDurations(third.stdout), "applied migration 003 [up] river job tags non null [TIME]\n");
  assert.equal((await up("--target-version", "3")).stdout, "no migrations to apply\n");
  const rest = (await up("--max-steps", "20")).stdout.trimEnd().split("\n");
  assert.deepEqual([rest.length, rest.at(-1)], [6, "no more migrations to apply"]);
});

test("migrate-down takes one step, or ends at a target that stays, or removes all", async (t) => {
  const { url, open } = sqliteFile(t);
  await runCli(["migrate-up", "--database-url", url]);
  const down = (...flags: string[]) => runCli(["migrate-down", "--database-url", url, ...flags]);
  assert.equal(withoutDurations((await down()).stdout), "applied migration 008 [down] job id autoincrement [TIME]\n");
  assert.equal(
    withoutDurations((await down("--target-version", "5")).stdout),
    [
      "applied migration 007 [down] notification outbox sqlite jsonb and sql cleanup [TIME]",
      "applied migration 006 [down] bulk unique                                      [TIME]",
      "",
    ].join("\n"),
  );
  assert.equal((await down("--max-steps", "2")).stdout.trim().split("\n").length, 2);
  assert.equal((await down("--target-version", "0")).stdout.trim().split("\n").length, 3);
  assert.deepEqual(open().prepare("select name from sqlite_master where name like 'river%'").all(), []);
  assert.equal((await down()).stdout, "no migrations to apply\n");
});

test("--dry-run tells the same without times, and changes and makes nothing", async (t) => {
  const { url, path } = sqliteFile(t);
  const dry = await runCli(["migrate-up", "--dry-run", "--target-version", "2", "--database-url", url]);
  assert.deepEqual(dry, {
    code: 0,
    stdout:
      "migration 001 [up] create river migration [DRY RUN]\nmigration 002 [up] initial schema         [DRY RUN]\n",
    stderr: `warning: ${path} does not exist\n`,
  });
  assert.equal(existsSync(path), false);
  await runCli(["migrate-up", "--database-url", url]);
  const down = ["migrate-down", "--database-url", url, "--max-steps", "9"];
  const dryDown = (await runCli([...down, "--dry-run"])).stdout;
  assert.match(dryDown, /^migration 008 \[down\] job id autoincrement +\[DRY RUN\]\n/);
  assert.match(dryDown, /no more migrations to apply\n$/);
  assert.equal((await runCli(["validate", "--database-url", url])).code, 0);
  assert.match((await runCli([...down, "--dry-run=false"])).stdout, /^applied /);
});

test("--show-sql puts a rule, a comment and the SQL under each line, and a blank line between", async (t) => {
  const { url } = sqliteFile(t);
  await runCli(["migrate-up", "--database-url", url]);
  const line = ["--database-url", url, "--line", "extra", "--show-sql"];
  assert.equal(
    withoutDurations((await runCli(["migrate-up", ...line], extra)).stdout),
    `applied migration 001 [up] first        [TIME]
${"-".repeat(80)}
-- River extra migration 001 [up]
create table extra_1 (a);

applied migration 002 [up] a second one [TIME]
${"-".repeat(80)}
-- River extra migration 002 [up]
create table extra_2 (a);

`,
  );
  assert.match(
    (await runCli(["migrate-down", ...line, "--dry-run"], extra)).stdout,
    /^migration 002 \[down\] a second one \[DRY RUN\]\n-{80}\n-- River extra migration 002 \[down\]\ndrop table extra_2;\n\n$/,
  );
});

test("versions that are not known, not applied or out of reach are errors", async (t) => {
  const { url } = sqliteFile(t);
  await runCli(["migrate-up", "--database-url", url, "--target-version", "6"]);
  for (const [words, message] of [
    ["migrate-up --target-version 99", /version 99 is not known; known are 1 to 8/],
    ["migrate-down --target-version 99", /version 99 is not known/],
    ["migrate-down --target-version 7", /version 7 is not applied/],
    ["migrate-down --target-version 1 --max-steps 2", /5 steps away/],
  ] as const) {
    const { code, stdout, stderr } = await runCli([...words.split(" "), "--database-url", url]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, message);
    assert.match(stderr, /^riverqueue: [^\n]+\n$/);
  }
});

test("a failing version is named, those before it stay, and --debug tells the causes", async (t) => {
  const { url } = sqliteFile(t);
  await runCli(["migrate-up", "--database-url", url]);
  const broken = EXTRA.toSpliced(1, 1, {
    ...EXTRA[0],
    version: 2,
    name: "again",
    upSql: "create table extra_1 (a);",
    downSql: "x",
  });
  const options = { migrationLines: { extra: () => broken } };
  const words = ["migrate-up", "--line", "extra", "--database-url", url];
  const { code, stderr } = await runCli(words, options);
  assert.equal(code, 1);
  assert.equal(stderr, "riverqueue: version 2 up failed: SQLite error 1 (SQL logic error)\n");
  const again = await runCli([...words, "--debug"], options);
  assert.match(again.stderr, /^debug: DatabaseOperationError code=database backend=sqlite /m);
  assert.match((await runCli(["migrate-list", "--line", "extra", "--database-url", url], options)).stdout, /^\* 001/);
});

test("lines: main may be replaced, a misspelt one is suggested, and what a line throws is reported", async (t) => {
  const { url } = sqliteFile(t);
  const up = (line: string, migrationLines = {}) =>
    runCli(["migrate-up", "--database-url", url, "--line", line], { migrationLines });
  assert.equal((await up("mian")).stderr, 'riverqueue: migration line "mian" does not exist; did you mean "main"?\n');
  assert.equal(
    (await up("constructor", { extra: () => EXTRA })).stderr,
    'riverqueue: migration line "constructor" does not exist; known are main, fleet, reaction, extra\n',
  );
  assert.match((await up("extra", { extra: () => EXTRA })).stderr, /line "main" must be migrated to version 5/);
  assert.match((await up("extra", { extra: () => [] })).stderr, /options\.migrations must be a list with at least one/);
  assert.equal(
    (await up("extra", { extra: failing })).stderr,
    "riverqueue: unexpected TypeError: no file at postgres://a:***@c/d\n",
  );
  const backends: string[] = [];
  const main = (backend: string) => {
    backends.push(backend);
    return EXTRA;
  };
  assert.match((await runCli(["migrate-get", "--all", "--up"], { migrationLines: { main } })).stdout, /extra_2/);
  assert.equal(
    (await runCli(["migrate-list", "--database-url", url], { migrationLines: { main } })).stdout,
    "001 first\n002 a second one\n",
  );
  assert.deepEqual(backends, ["postgres", "sqlite"]);
});

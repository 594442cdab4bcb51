import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresMissing, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { type Migration, loadMigrations } from "@riverqueue/migrate";
import { type CliResult, onlyPgVariables, runCli } from "./fixture/run-cli.ts";

failOnLeaks();

if (process.env["CI"]) test("Postgres is there where it has to be", () => assert.equal(postgresMissing(), false));

/** A line of one version that runs `upSql`. */
const lineOf = (upSql: string): { migrationLines: { probe: () => Migration[] } } => ({
  migrationLines: { probe: () => [{ version: 1, name: "probe", upSql, downSql: "select 1;" }] },
});
const SETTINGS = `create table seen as select current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name;`;

function failed({ code, stdout, stderr }: CliResult): string {
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^riverqueue: [^\n]+\n$/);
  return stderr.slice("riverqueue: ".length, -1);
}

postgresTest("a schema with a quote in its name is migrated up and down, beside the default one", async (t) => {
  const database = await leasePostgresDatabase(t);
  await database.query('create schema "a""b"');
  const cli = (command: string, ...flags: string[]) =>
    runCli([command, "--database-url", database.url, "--schema", 'a"b', ...flags]);
  const tables = async () =>
    (await database.query(`select count(*)::int as n from pg_tables where schemaname = 'a"b'`))[0]?.["n"];

  const names = loadMigrations("postgres").map(({ version, name }) => `00${version} ${name}`);
  assert.deepEqual(await cli("migrate-list"), { code: 0, stdout: `${names.join("\n")}\n`, stderr: "" });
  assert.equal((await cli("migrate-up", "--dry-run")).stdout.trim().split("\n").length, names.length);
  assert.equal(await tables(), 0);
  const up = await cli("migrate-up", "--show-sql");
  assert.deepEqual([up.code, up.stderr], [0, ""]);
  assert.match(
    up.stdout,
    /^applied migration 001 \[up\] create river migration +\[[\d.]+(?:µs|ms|s)\]\n-{80}\n-- River main/,
  );
  assert.match(up.stdout, /create table "a""b"\.river_job\b/i);
  assert.equal((await cli("validate")).code, 0);
  assert.match((await cli("migrate-list")).stdout, /^\* 008 /m);

  assert.match(
    (await cli("migrate-down", "--max-steps", "2")).stdout,
    /^applied migration 008 \[down\].*\n.* 007 \[down\]/,
  );
  assert.deepEqual(await cli("validate", "-v"), { code: 1, stdout: "", stderr: "info: Unapplied migrations: [7 8]\n" });
  assert.equal((await cli("migrate-down", "--target-version", "0")).code, 0);
  assert.equal(await tables(), 0);
  assert.equal((await runCli(["validate", "--database-url", database.url])).code, 0, "the default schema is as it was");
});

postgresTest("two command lines at the same time apply every version once", async (t) => {
  const database = await leasePostgresDatabase(t);
  await runCli(["migrate-down", "--target-version", "0", "--database-url", database.url]);
  const runs = await Promise.all([1, 2].map(() => runCli(["migrate-up", "--database-url", database.url])));
  assert.deepEqual(
    runs.map(({ code, stderr }) => [code, stderr]),
    [
      [0, ""],
      [0, ""],
    ],
  );
  const applied = runs.flatMap(({ stdout }) => [...stdout.matchAll(/^applied migration 00(\d)/gm)].map(([, n]) => n));
  assert.deepEqual(
    applied.toSorted((a, b) => Number(a) - Number(b)),
    ["1", "2", "3", "4", "5", "6", "7", "8"],
  );
});

postgresTest("the connection's settings are the defaults, those of the URL, and those of the flag", async (t) => {
  const database = await leasePostgresDatabase(t);
  const seen = async (parameters: string, ...flags: string[]) => {
    await database.query("drop table if exists seen");
    await database.query("delete from river_migration where line = 'probe'");
    const words = ["migrate-up", "--line", "probe", "--database-url", `${database.url}${parameters}`, ...flags];
    assert.equal((await runCli(words, lineOf(SETTINGS))).code, 0);
    return Object.values((await database.query("select statement, idle, name from seen"))[0] ?? {});
  };
  onlyPgVariables(t, {});
  assert.deepEqual(await seen(""), ["10s", "11s", "river CLI"]);
  const parameters = "?statement_timeout=20s&idle_in_transaction_session_timeout=30000&application_name=mine";
  assert.deepEqual(await seen(parameters), ["20s", "30s", "mine"]);
  assert.deepEqual(await seen(parameters, "--statement-timeout", "1m30s"), ["90s", "30s", "mine"]);
  assert.deepEqual(await seen("?options=-c%20statement_timeout%3D7s"), ["7s", "11s", "river CLI"]);
  process.env["PGAPPNAME"] = "from outside";
  assert.deepEqual(await seen(""), ["10s", "11s", "from outside"]);
});

postgresTest("the PG variables name the database when there is no URL", async (t) => {
  const database = await leasePostgresDatabase(t);
  const { hostname, port, username, password } = new URL(database.url);
  const variables = { PGHOST: hostname, PGPORT: port || "5432", PGUSER: username, PGDATABASE: database.name };
  onlyPgVariables(t, password === "" ? variables : { ...variables, PGPASSWORD: decodeURIComponent(password) });
  const { code, stderr } = await runCli(["validate", "--debug"]);
  assert.equal(code, 0);
  assert.equal(
    stderr,
    `debug: Postgres at ${hostname}:${variables.PGPORT}, database ${database.name}, user ${username}\n` +
      "debug: statement timeout 10000ms\n",
  );
});

postgresTest("what the database refuses is said with what it means, without its SQL", async (t) => {
  const database = await leasePostgresDatabase(t);
  const up = async (upSql: string, ...flags: string[]) =>
    failed(await runCli(["migrate-up", "--line", "probe", "--database-url", database.url, ...flags], lineOf(upSql)));
  assert.equal(
    await up("select pg_sleep(60), 'hidden'", "--statement-timeout", "50ms"),
    "version 1 up failed: Postgres error 57014 " +
      "(cancelled: the statement timeout, see --statement-timeout, or somebody's request)",
  );
  assert.equal(
    await up("create table river_job (hidden text)"),
    "version 1 up failed: Postgres error 42P07 (a table or an index of that name exists already)",
  );
  assert.equal(await up("select 1 / length('')"), "version 1 up failed: Postgres error 22012");
  assert.match(
    failed(await runCli(["migrate-up", "--database-url", database.url, "--schema", "absent"])),
    /^version 1 up failed: Postgres error 3F000 \(the schema does not exist\)$/,
  );
  const readOnly = `${database.url}?options=${encodeURIComponent("-c default_transaction_read_only=on")}`;
  assert.match(
    failed(await runCli(["migrate-down", "--database-url", readOnly])),
    /25006 \(the server is read-only\)$/,
  );
});

postgresTest("a server that does not let anybody in is named, and the password is not", async (t) => {
  const { url } = await leasePostgresDatabase(t);
  const connect = async (change: (address: URL) => void) => {
    const address = new URL(url);
    change(address);
    return failed(await runCli(["validate", "--database-url", address.href]));
  };
  const { hostname, port } = new URL(url);
  assert.equal(
    await connect((address) => (address.pathname = "/absent")),
    `cannot connect to Postgres at ${hostname}:${port || "5432"}: 3D000, the database does not exist`,
  );
  const nobody = await connect((address) => Object.assign(address, { username: "nobody_known", password: "s3cret" }));
  assert.match(nobody, /: (?:28000, the server does not let this user in|28P01, wrong user or password)$/);
  assert.doesNotMatch(nobody, /s3cret/);
});

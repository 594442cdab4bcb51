import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { onlyPgVariables, runCli, sqliteFile } from "./fixture/run-cli.ts";

failOnLeaks();

const cannot = (file: string) => `riverqueue: cannot open the SQLite database ${file}: unable to open database file\n`;

test("without a URL and without PGDATABASE both possibilities are named", async (t) => {
  onlyPgVariables(t, { PGHOST: "127.0.0.1", PGDATABASE: "" });
  for (const command of ["migrate-up", "migrate-down", "migrate-list", "validate"]) {
    assert.deepEqual(await runCli([command]), {
      code: 1,
      stdout: "",
      stderr: "riverqueue: no database is named: give --database-url, or set PGDATABASE and the other PG* variables\n",
    });
  }
  assert.equal((await runCli(["migrate-get", "--all", "--up"])).code, 0, "it needs none");
});

test("PGDATABASE selects Postgres, and --database-url wins over it", async (t) => {
  onlyPgVariables(t, { PGHOST: "127.0.0.1", PGPORT: "1", PGDATABASE: "x", PGUSER: "u", PGPASSWORD: "secret" });
  const refused = "riverqueue: cannot connect to Postgres at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n";
  assert.deepEqual(await runCli(["validate"]), { code: 1, stdout: "", stderr: refused });
  const { url } = sqliteFile(t);
  assert.equal((await runCli(["migrate-up", "--database-url", url])).code, 0);
  assert.equal((await runCli(["validate", "--database-url", url])).code, 0);
});

test("every form of a SQLite URL names the same file", async (t) => {
  const { path } = sqliteFile(t);
  const short = relative(process.cwd(), path);
  assert.equal((await runCli(["migrate-up", "--database-url", `sqlite://${path}`])).code, 0);
  for (const url of [`sqlite://${path}`, `SQLITE://${path}`, `sqlite://${short}`, `sqlite://file:${path}`]) {
    assert.deepEqual(await runCli(["validate", "--database-url", url]), { code: 0, stdout: "", stderr: "" });
  }
  assert.equal((await runCli(["migrate-up", "--database-url", "sqlite://:memory:"])).code, 0);
});

test("URLs that name no database are refused, and their text is not repeated", async () => {
  const forms = "it must begin with postgres://, postgresql:// or sqlite://";
  for (const [url, message] of [
    ["", "--database-url is empty"],
    ["sqlite://", "--database-url names no file: write sqlite://PATH"],
    ["sqlite:", `--database-url has no scheme; ${forms}`],
    ["sqlite:app.db", `--database-url has no scheme; ${forms}`],
    ["sqlite:/var/lib/app.db", `--database-url has no scheme; ${forms}`],
    ["app.db", `--database-url has no scheme; ${forms}`],
    ["bob:secret@host/db", `--database-url has no scheme; ${forms}`],
    ["postgres:db", `--database-url has no scheme; ${forms}`],
    ["mysql://bob:secret@host/db", `--database-url has the scheme mysql://; ${forms}`],
    ["postgres://bob:sec ret@:x/db", "--database-url cannot be used: it is no valid URL"],
    ["postgres://h/d?statement_timeout=soon", "statement_timeout in --database-url must be a time such as 10s or 5000"],
    ["postgres://bob:secret@127.0.0.1:1/d?password=secret", /^cannot connect to Postgres at 127\.0\.0\.1:1: /],
    ["postgres://bob:secret@/d?host=/nowhere", /^cannot connect to Postgres at \/nowhere:5432: connect ENOENT /],
    ["postgres://bob:secret@h/d?sslrootcert=/nowhere/ca.pem", /^--database-url cannot be used: ENOENT.*ca\.pem'$/],
  ] as const) {
    const { code, stdout, stderr } = await runCli(["validate", "--database-url", url]);
    assert.deepEqual([code, stdout], [1, ""], url);
    assert.match(stderr, /^riverqueue: [^\n]+\n$/);
    assert.doesNotMatch(stderr, /sec ?ret/);
    const said = stderr.slice("riverqueue: ".length, -1);
    if (typeof message === "string") assert.equal(said, message);
    else assert.match(said, message);
  }
});

test("a password is taken out of whatever is said", async () => {
  const { stderr } = await runCli(["validate", "postgres://bob:s3:c/r@et@host/db?sslpassword=hidden&x=1"]);
  assert.equal(
    stderr,
    'riverqueue: unexpected argument "postgres://bob:***@host/db?sslpassword=***&x=1" of validate\n',
  );
});

test("--schema is refused on SQLite, and --statement-timeout is not", async (t) => {
  const { url } = sqliteFile(t);
  const { code, stderr } = await runCli(["migrate-up", "--database-url", url, "--schema", "river"]);
  assert.deepEqual([code, stderr], [1, "riverqueue: --schema is for Postgres: a SQLite database has no schemas\n"]);
  assert.equal((await runCli(["migrate-up", "--database-url", url, "--statement-timeout", "30s"])).code, 0);
});

test("files that cannot be opened, or hold something else, are errors", async (t) => {
  const { path, url } = sqliteFile(t);
  mkdirSync(path);
  const opened = await runCli(["validate", "--database-url", url]);
  assert.deepEqual(opened, { code: 1, stdout: "", stderr: cannot(path) });
  const below = await runCli(["migrate-up", "--database-url", `${url}/no/such.db`]);
  assert.deepEqual(below, { code: 1, stdout: "", stderr: cannot(`${path}/no/such.db`) });
  writeFileSync(`${path}/text.db`, "just text ".repeat(200));
  const text = await runCli(["migrate-list", "--database-url", `${url}/text.db`]);
  assert.deepEqual([text.code, text.stdout], [1, ""]);
  assert.match(text.stderr, /^riverqueue: .*SQLite error 26 \(file is not a database\)\n$/);
});

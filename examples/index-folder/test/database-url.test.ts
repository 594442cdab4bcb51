/** What `--database-url` may name, and what is said when it cannot be used. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, realpathSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { freePort } from "@riverqueue/internal-test-kit/free-port";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { readPostgresIndex, unfinished } from "./testdata/read-index.ts";
import { type DemoEnd, runDemo, startDemo } from "./testdata/start-demo.ts";

failOnLeaks();

/** A folder to type in, with a folder `data` of `files` long files in it. */
function makeFolder(t: TestContext, files: number): string {
  const here = realpathSync(temporaryFolder(t));
  mkdirSync(join(here, "data"));
  for (let index = 0; index < files; index++) {
    const path = join(here, "data", `file-${index}`);
    writeFileSync(path, "");
    truncateSync(path, 1 << 20);
  }
  return here;
}

function withPassword(url: string): string {
  const address = new URL(url);
  address.password = "hunter2";
  return address.href;
}

function assertOneLine({ code, errors, output }: DemoEnd, line: RegExp): void {
  assert.match(errors, line);
  assert.equal(errors.trimEnd().includes("\n"), false, errors);
  assert.doesNotMatch(errors + output, /hunter2/);
  assert.equal(code, 1);
}

test("sqlite://PATH is a file, and a relative path counts from where the user is", async (t) => {
  const here = makeFolder(t, 1);
  for (const url of ["sqlite://other.db", `sqlite://${join(here, "third.db")}`, "sqlite:fourth.db"]) {
    const { code, errors, output } = await runDemo(t, here, ["data", "--database-url", url]);
    assert.equal(errors, "");
    assert.equal(code, 0);
    assert.match(output, /Found 1 file: 1 to read/);
  }
  for (const name of ["other.db", "third.db", "fourth.db"]) assert.ok(existsSync(join(here, name)), name);
  assert.equal(existsSync(join(here, "demo.db")), false);
});

postgresTest("the password is in nothing that is printed", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const here = makeFolder(t, 1);
  const { code, errors, output } = await runDemo(t, here, ["data", "--database-url", withPassword(lease.url)]);
  assert.equal(errors, "");
  assert.equal(code, 0);
  assert.match(output, new RegExp(`into postgres://127\\.0\\.0\\.1:\\d+/${lease.name}\n`));
  assert.doesNotMatch(output, /hunter2/);
  assert.equal(existsSync(join(here, "demo.db")), false);
});

test("a server out of reach is one line of error", async (t) => {
  const here = makeFolder(t, 1);
  const url = `postgres://me:hunter2@127.0.0.1:${await freePort()}/app`;
  const end = await runDemo(t, here, ["data", "--database-url", url]);
  assertOneLine(end, /^demo: cannot connect to postgres:\/\/127\.0\.0\.1:\d+\/app: connect ECONNREFUSED .*\n$/);
});

postgresTest("so are a database that does not exist, and one where nothing may be created", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const here = makeFolder(t, 1);
  const address = new URL(withPassword(lease.url));
  address.pathname = "/nowhere";
  const missing = await runDemo(t, here, ["data", "--database-url", address.href]);
  assertOneLine(missing, /^demo: cannot connect to .*\/nowhere: database "nowhere" does not exist\n$/);

  const role = `reader_${lease.name}`;
  await lease.query(`create role ${role} login`);
  address.pathname = `/${lease.name}`;
  address.username = role;
  const denied = await runDemo(t, here, ["data", "--database-url", address.href]);
  await lease.query(`drop role ${role}`);
  assertOneLine(denied, /^demo: cannot use .* as the database: permission denied for database .*\n$/);
});

postgresTest("a schema of the same name that is something else's is not touched", async (t) => {
  const lease = await leasePostgresDatabase(t);
  await lease.query("create schema river_index_folder");
  const end = await runDemo(t, makeFolder(t, 1), ["data", "--database-url", lease.url]);
  assertOneLine(end, /^demo: .* has a schema river_index_folder of something else; .*\n$/);
  const tables = await lease.query("select 1 from pg_class where relnamespace = 'river_index_folder'::regnamespace");
  assert.deepEqual(tables, []);
});

postgresTest("a server that goes away during a run ends it with one line, and the next run goes on", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const here = makeFolder(t, 60);
  const demo = startDemo(t, here, ["data", "--database-url", withPassword(proxy.url)]);
  await demo.line(/^Found 60 files/);
  proxy.accept(false);
  proxy.cut();
  assertOneLine(await demo.end, /^demo: the database postgres:.* failed: .*\n$/);

  const { code, errors } = await runDemo(t, here, ["data", "--database-url", lease.url]);
  assert.equal(errors, "");
  assert.equal(code, 0);
  const { files, jobs } = await readPostgresIndex(lease);
  assert.deepEqual(
    files.map(({ indexed_count }) => indexed_count),
    Array.from({ length: 60 }, () => 1),
  );
  assert.deepEqual(unfinished(jobs), []);
});

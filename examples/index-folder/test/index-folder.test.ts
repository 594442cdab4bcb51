import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { onEachDatabase } from "./testdata/demo-databases.ts";
import { type IndexedFile, readIndex, unfinished, withIndex } from "./testdata/read-index.ts";
import { runDemo, startDemo } from "./testdata/start-demo.ts";

failOnLeaks();

/** A folder to type in, with a folder `data` of a few files in it. */
function makeFolder(t: TestContext): { here: string; data: string } {
  const here = realpathSync(temporaryFolder(t));
  const data = join(here, "data");
  mkdirSync(join(data, "sub"), { recursive: true });
  writeFileSync(join(data, "a.txt"), "one\ntwo\nthree");
  writeFileSync(join(data, "empty"), "");
  writeFileSync(join(data, "sub", "b.txt"), "hello\n".repeat(1000));
  return { here, data };
}

/** A path, which is bytes on Postgres. */
function textOf(path: IndexedFile["path"]): string {
  return typeof path === "string" ? path : Buffer.from(path).toString();
}

onEachDatabase("indexes every file once, and a second run finds nothing to do", async (t, open) => {
  const { here, data } = makeFolder(t);
  const database = await open(here);
  const first = await runDemo(t, here, ["data", ...database.args]);
  assert.equal(first.errors, "");
  assert.equal(first.code, 0);
  assert.match(first.output, /Found 3 files: 3 to read, 0 unchanged/);
  assert.match(first.output, /files indexed +3 \(3 in this run\)/);
  const { files, jobs } = await database.read();
  assert.deepEqual(
    files.map(({ path, size, lines, indexed_count }) => ({ path: textOf(path), size, lines, indexed_count })),
    [
      { path: join(data, "a.txt"), size: 13, lines: 3, indexed_count: 1 },
      { path: join(data, "empty"), size: 0, lines: 0, indexed_count: 1 },
      { path: join(data, "sub", "b.txt"), size: 6000, lines: 1000, indexed_count: 1 },
    ],
  );
  assert.equal(files[0]?.sha256, createHash("sha256").update("one\ntwo\nthree").digest("hex"));
  assert.equal(files[1]?.compression_ratio, 1);
  assert.ok((files[2]?.compression_ratio ?? 0) > 50);
  assert.deepEqual(unfinished(jobs), []);
  assert.equal(jobs.filter(({ kind }) => kind === "index_file").length, 3);

  // As a week later, when River has deleted the finished jobs.
  await database.deleteJobs();
  const second = await runDemo(t, here, [data, ...database.args]);
  assert.equal(second.code, 0);
  assert.match(second.output, /Found 3 files: 0 to read, 3 unchanged/);
  assert.match(second.output, /files indexed +3 \(0 in this run\)/);
  const later = await database.read();
  assert.deepEqual(later.files, files);
  assert.deepEqual(
    later.jobs.map(({ kind }) => kind),
    ["print_summary"],
  );
  assert.deepEqual(readdirSync(here).toSorted(), database.args.length === 0 ? ["data", "demo.db"] : ["data"]);
});

onEachDatabase("reads changed files again, and forgets those that are gone", async (t, open) => {
  const { here, data } = makeFolder(t);
  const database = await open(here);
  await runDemo(t, here, ["data", ...database.args]);
  writeFileSync(join(data, "a.txt"), "ONE\ntwo\nthree");
  // The size is the same; the time tells.
  utimesSync(join(data, "a.txt"), 2_000_000_000, 2_000_000_000);
  rmSync(join(data, "sub"), { recursive: true });
  const { code, output } = await runDemo(t, here, ["data", ...database.args]);
  assert.equal(code, 0);
  assert.match(output, /Found 2 files: 1 to read, 1 unchanged, 1 gone since the last run/);
  assert.deepEqual(
    (await database.read()).files.map(({ path, sha256, indexed_count }) => ({
      path: textOf(path),
      sha256,
      indexed_count,
    })),
    [
      {
        path: join(data, "a.txt"),
        sha256: createHash("sha256").update("ONE\ntwo\nthree").digest("hex"),
        indexed_count: 2,
      },
      { path: join(data, "empty"), sha256: createHash("sha256").digest("hex"), indexed_count: 1 },
    ],
  );
});

test("leaves out its own database, .git, node_modules, links and what is no regular file", async (t) => {
  const { here, data } = makeFolder(t);
  for (const skipped of [".git", "node_modules"]) {
    mkdirSync(join(data, "sub", skipped));
    writeFileSync(join(data, "sub", skipped, "file"), "");
  }
  symlinkSync("a.txt", join(data, "link-to-file"));
  symlinkSync("..", join(data, "link-to-folder"));
  const { code } = await runDemo(t, here, ["."]);
  assert.equal(code, 0);
  assert.deepEqual(
    readIndex(here).files.map(({ path }) => path),
    [join(data, "a.txt"), join(data, "empty"), join(data, "sub", "b.txt")],
  );
});

// Only there may names be anything.
if (process.platform === "linux") {
  onEachDatabase("knows files by names that are no text, and prints no control characters", async (t, open) => {
    const { here, data } = makeFolder(t);
    const odd = Buffer.concat([Buffer.from(`${data}/odd-`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(odd, "x\n");
    writeFileSync(join(data, "two\nlines\u001b[31m"), "y");
    const database = await open(here);
    const first = await runDemo(t, here, ["data", ...database.args]);
    assert.equal(first.code, 0);
    const rows = (await database.read()).files.filter(({ size }) => size <= 2 && size > 0);
    assert.deepEqual(
      new Map(rows.map(({ path, lines }) => [Buffer.from(path).toString("latin1"), lines])),
      new Map([
        [join(data, "two\nlines\u001b[31m"), 1],
        [odd.toString("latin1"), 1],
      ]),
    );
    const second = await runDemo(t, here, ["data", ...database.args]);
    assert.match(second.output, /Found 5 files: 0 to read/);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    assert.doesNotMatch(first.output, /[\u0000-\u0009\u000b-\u001f]/);
  });
}

test("ends with one line of error and exit code 1 when the command makes no sense", async (t) => {
  const { here } = makeFolder(t);
  const cases: readonly [args: readonly string[], message: RegExp][] = [
    [["nowhere"], /^demo: there is no folder .*nowhere\n$/],
    [["data/a.txt"], /^demo: .*a\.txt is not a folder\n$/],
    [["data/a.txt/below"], /^demo: .*below is not a folder\n$/],
    [["data", "data/sub"], /^demo: give one folder at most/],
    [[""], /^demo: the name of the folder is empty\n$/],
    [["--database-url"], /^demo: .*--database-url.*argument missing; usage: .*\n$/],
    [["--database-url", "mysql://u:secret@h/d"], /^demo: --database-url must begin with postgres:.*\n$/],
    [["--database-url", "postgres://u:secret@host:port/d"], /^demo: --database-url is no valid URL\n$/],
    [["--database-url", "sqlite://"], /^demo: --database-url names no file: .*\n$/],
    [["--fast"], /^demo: Unknown option '--fast'; usage: .*\n$/],
  ];
  for (const [args, message] of cases) {
    const { code, output, errors } = await runDemo(t, here, args);
    assert.match(errors, message);
    assert.equal(errors.trimEnd().includes("\n"), false);
    assert.doesNotMatch(errors, /secret/);
    assert.equal(output, "");
    assert.equal(code, 1);
  }
  assert.equal(existsSync(join(here, "demo.db")), false);
});

test("does not touch a database that is not its own", async (t) => {
  const { here } = makeFolder(t);
  withIndex(here, (database) => database.exec("create table files (id integer primary key, path text)"));
  const other = await runDemo(t, here, ["data"]);
  assert.match(other.errors, /^demo: .*demo\.db is a database of something else.*\n$/);
  assert.equal(other.code, 1);
  assert.equal(
    withIndex(here, (database) => database.prepare("select count(*) as n from sqlite_schema").get()?.["n"]),
    1,
  );

  writeFileSync(join(here, "demo.db"), "this is text, and long enough not to be taken for a header\n".repeat(20));
  const text = await runDemo(t, here, ["data"]);
  assert.match(text.errors, /^demo: cannot use .*demo\.db as the database: file is not a database\n$/);
  assert.equal(text.code, 1);
});

onEachDatabase("waits for another run on the same database", async (t, open) => {
  const { here, data } = makeFolder(t);
  const endless = join(data, "endless");
  writeFileSync(endless, "");
  truncateSync(endless, 2 ** 36);
  const database = await open(here);
  const first = startDemo(t, here, ["data", ...database.args]);
  await first.line(/^Found 4 files/);
  const second = startDemo(t, here, ["data", ...database.args]);
  await second.line(/^Another run works on .*\. Waiting until it ends\.$/);
  first.kill("SIGINT");
  rmSync(endless);
  // Repeated, because the second gives up the file, and one that follows too closely is taken for an echo.
  const repeat = setInterval(() => first.kill("SIGINT"), 300);
  t.after(() => clearInterval(repeat));
  const { code: firstCode } = await first.end;
  clearInterval(repeat);
  assert.equal(firstCode, 130);
  const { code, errors, output } = await second.end;
  assert.equal(errors, "");
  assert.equal(code, 0);
  assert.match(output, /Found 3 files: /);
  const { files, jobs } = await database.read();
  assert.deepEqual(
    files.map(({ indexed_count }) => indexed_count),
    [1, 1, 1],
  );
  assert.deepEqual(unfinished(jobs), []);
});

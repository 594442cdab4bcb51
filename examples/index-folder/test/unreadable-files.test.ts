import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { readIndex } from "./testdata/read-index.ts";
import { type DemoOptions, runDemo } from "./testdata/start-demo.ts";

failOnLeaks();

/** Nobody: for root everything is readable, so the demo runs as somebody else then. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const OPTIONS: DemoOptions = isRoot ? { uid: NOBODY } : {};

/** Why permissions cannot be tested here, if so. */
function skipReason(): string | false {
  if (process.platform === "win32") return "permissions work differently on Windows";
  if (!isRoot) return false;
  const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const probe = spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", source], { uid: NOBODY });
  return probe.status === 0 ? false : "this runs as root, and another user cannot read the repository";
}
const skip = skipReason();

function makeFolder(t: TestContext): { here: string; data: string } {
  const here = realpathSync(temporaryFolder(t));
  const data = join(here, "data");
  mkdirSync(data);
  writeFileSync(join(data, "open"), "text\n");
  writeFileSync(join(data, "secret"), "text\n");
  if (isRoot)
    for (const path of [here, data, join(data, "open"), join(data, "secret")]) chownSync(path, NOBODY, NOBODY);
  return { here, data };
}

test("gives an unreadable file three attempts, lists it and ends with 2", { skip }, async (t) => {
  const { here, data } = makeFolder(t);
  chmodSync(join(data, "secret"), 0);
  const first = await runDemo(t, here, ["data"], OPTIONS);
  assert.equal(first.errors, "");
  assert.equal(first.code, 2);
  assert.match(
    first.output,
    /files indexed +1 \(1 in this run\)[^]*could not be read +1\n +secret: EACCES: permission denied/,
  );
  const jobs = readIndex(here).jobs.filter(({ kind }) => kind === "index_file");
  assert.deepEqual(
    jobs
      .toSorted((one, other) => one.attempt - other.attempt)
      .map(({ state, attempt, errors }) => ({ state, attempt, errors })),
    [
      { state: "completed", attempt: 1, errors: 0 },
      { state: "discarded", attempt: 3, errors: 3 },
    ],
  );

  chmodSync(join(data, "secret"), 0o600);
  const second = await runDemo(t, here, ["data"], OPTIONS);
  assert.equal(second.code, 0);
  assert.match(second.output, /Found 2 files: 1 to read, 1 unchanged/);
  assert.deepEqual(
    readIndex(here).files.map(({ indexed_count }) => indexed_count),
    [1, 1],
  );
});

test("lists a folder that cannot be opened, and keeps what it knows of its files", { skip }, async (t) => {
  const { here, data } = makeFolder(t);
  const inner = join(data, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "file"), "text\n");
  if (isRoot) for (const path of [inner, join(inner, "file")]) chownSync(path, NOBODY, NOBODY);
  await runDemo(t, here, ["data"], OPTIONS);
  chmodSync(inner, 0);
  const { code, output } = await runDemo(t, here, ["data"], OPTIONS);
  chmodSync(inner, 0o700);
  assert.equal(code, 2);
  assert.match(output, /could not be read +1\n +inner: EACCES/);
  assert.deepEqual(
    readIndex(here).files.map(({ path, indexed_count }) => ({ path, indexed_count })),
    ["inner/file", "open", "secret"].map((name) => ({ path: join(data, name), indexed_count: 1 })),
  );
});

test("says so when the folder itself, or the place of the database, is closed", { skip }, async (t) => {
  const { here, data } = makeFolder(t);
  chmodSync(data, 0);
  const closed = await runDemo(t, here, ["data"], OPTIONS);
  assert.match(closed.errors, /^demo: the folder .*data cannot be read: permission denied\n$/);
  assert.equal(closed.code, 1);
  chmodSync(data, 0o700);
  chmodSync(here, 0o500);
  const fixed = await runDemo(t, here, ["data"], OPTIONS);
  chmodSync(here, 0o700);
  assert.match(fixed.errors, /^demo: cannot use .*demo\.db as the database: .*\n$/);
  assert.equal(fixed.code, 1);
});

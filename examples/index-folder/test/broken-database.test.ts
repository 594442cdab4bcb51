import assert from "node:assert/strict";
import { closeSync, mkdirSync, openSync, realpathSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { withIndex } from "./testdata/read-index.ts";
import { type DemoEnd, runDemo } from "./testdata/start-demo.ts";

failOnLeaks();

function makeFolder(t: TestContext, files: number): string {
  const here = realpathSync(temporaryFolder(t));
  mkdirSync(join(here, "data"));
  for (let index = 0; index < files; index++) writeFileSync(join(here, "data", `file-${index}`), `${index}\n`);
  return here;
}

/** Overwrites the first page of a table. */
function damage(here: string, name: string): void {
  const [page, size] = withIndex(here, (database) => {
    // All of it is in the main file afterwards.
    database.exec("pragma wal_checkpoint(truncate)");
    const root = database.prepare("select rootpage from sqlite_schema where name = ?").get(name);
    return [Number(root?.["rootpage"]), Number(database.prepare("pragma page_size").get()?.["page_size"])] as const;
  });
  const file = openSync(join(here, "demo.db"), "r+");
  writeSync(file, Buffer.alloc(size, 0xde), 0, size, (page - 1) * size);
  closeSync(file);
}

function assertOneLine({ code, errors }: DemoEnd, line: RegExp): void {
  assert.match(errors, line);
  assert.equal(errors.trimEnd().includes("\n"), false, errors);
  assert.equal(code, 1);
}

for (const name of ["files", "river_job", "river_leader", "river_queue"]) {
  test(`ends with one line of error and exit code 1 when ${name} is damaged`, async (t) => {
    const here = makeFolder(t, 20);
    assert.equal((await runDemo(t, here, ["data"])).code, 0);
    damage(here, name);
    writeFileSync(join(here, "data", "new"), "something to do\n");
    assertOneLine(await runDemo(t, here, ["data"]), /^demo: the database .*demo\.db failed: .*damaged.*\n$/);
  });
}

for (const [when, fileSizeLimit] of [
  ["from the beginning", 4 << 10],
  ["after a while", 512 << 10],
] as const) {
  test(
    `ends with one line of error and exit code 1 when the disk is full ${when}`,
    { skip: process.platform === "win32" },
    async (t) => {
      const here = makeFolder(t, 800);
      const full = await runDemo(t, here, ["data"], { fileSizeLimit });
      assertOneLine(full, /^demo: .*demo\.db.*\n$/);
      // With room again, the next run does the rest.
      const { code, errors } = await runDemo(t, here, ["data"]);
      assert.equal(errors, "");
      assert.equal(code, 0);
      const counts = withIndex(here, (database) =>
        database.prepare("select indexed_count, count(*) as files from files group by 1").all(),
      );
      assert.deepEqual(
        counts.map((row) => ({ ...row })),
        [{ indexed_count: 1, files: 800 }],
      );
    },
  );
}

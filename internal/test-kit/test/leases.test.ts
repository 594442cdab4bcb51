import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import test from "node:test";
import { failOnLeaks, leaseSqliteDatabase, scaled, spawnNode, testScale } from "@riverqueue/internal-test-kit";

failOnLeaks();

test("every lease is a migrated file of its own, whose handles are closed and which is gone after the test", async (t) => {
  const paths: string[] = [];
  await t.test("the lease", async (inner) => {
    const [one, two] = [await leaseSqliteDatabase(inner), await leaseSqliteDatabase(inner)];
    paths.push(one.path, two.path);
    one.open().exec("insert into river_job (kind) values ('k')");
    assert.deepEqual({ ...two.open().prepare("select count(*) as jobs from river_job").get() }, { jobs: 0 });
    assert.equal(one.open().prepare("select max(version) as latest from river_migration").get()?.["latest"], 8);
  });
  assert.equal(new Set(paths).size, 2);
  for (const path of paths) assert.equal(existsSync(dirname(path)), false);
});

test("the lease of a failed test is kept and its folder named", async (t) => {
  const run = spawnNode(t, new URL("./testdata/failing-with-a-lease.ts", import.meta.url));
  const { code } = await run.exit();
  assert.equal(code, 1);
  const folder = /kept (\S+river-test-\w+)/.exec(run.log)?.[1] ?? "";
  assert.equal(existsSync(`${folder}/river.db`), true, run.log);
  await rm(folder, { recursive: true });
});

test("a scale of the run shortens intervals", () => {
  assert.ok(testScale >= 1);
  assert.equal(scaled(1000), 1000 / testScale);
});

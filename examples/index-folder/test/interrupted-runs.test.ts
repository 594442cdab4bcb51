import assert from "node:assert/strict";
import { mkdirSync, realpathSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { type DemoDatabase, onEachDatabase } from "./testdata/demo-databases.ts";
import { readIndex, unfinished } from "./testdata/read-index.ts";
import { runDemo, startDemo } from "./testdata/start-demo.ts";

failOnLeaks();

/** A folder with files that take a while: they are long, though they hold nothing. */
function makeFolder(t: TestContext, files: number, size: number): string {
  const here = realpathSync(temporaryFolder(t));
  mkdirSync(join(here, "data"));
  for (let index = 0; index < files; index++) {
    const path = join(here, "data", `file-${index}`);
    writeFileSync(path, "");
    truncateSync(path, size);
  }
  return here;
}

async function assertIndexedOnce(database: DemoDatabase, files: number): Promise<void> {
  const index = await database.read();
  assert.deepEqual(
    index.files.map(({ indexed_count }) => indexed_count),
    Array.from({ length: files }, () => 1),
  );
  assert.deepEqual(unfinished(index.jobs), []);
}

for (const [signal, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  onEachDatabase(`${signal} lets running jobs finish, and the next run goes on`, async (t, open) => {
    const here = makeFolder(t, 40, 4 << 20);
    const database = await open(here);
    const stopped = startDemo(t, here, ["data", ...database.args]);
    await stopped.line(/^Found 40 files/);
    stopped.kill(signal);
    const { code, output, errors } = await stopped.end;
    assert.equal(errors, "");
    assert.equal(code, exitCode);
    assert.match(output, /Stopped\. The next run goes on from here\./);
    assert.deepEqual(
      (await database.read()).jobs.filter(({ state }) => state === "running"),
      [],
    );

    const { code: finalCode } = await runDemo(t, here, ["data", ...database.args]);
    assert.equal(finalCode, 0);
    await assertIndexedOnce(database, 40);
  });
}

test("a second signal gives up the files that are being read", async (t) => {
  const here = makeFolder(t, 1, 2 ** 36);
  const demo = startDemo(t, here, ["data"]);
  await demo.line(/^Found 1 file:/);
  // Repeated, because one that follows too closely is taken for an echo of the first.
  const repeat = setInterval(() => demo.kill("SIGINT"), 300);
  t.after(() => clearInterval(repeat));
  await demo.line(/^Giving up/);
  clearInterval(repeat);
  assert.equal((await demo.end).code, 130);
  const { files, jobs } = readIndex(here);
  assert.equal(files[0]?.indexed_count, 0);
  assert.deepEqual(
    jobs.filter(({ kind }) => kind === "index_file").map(({ state, errors }) => ({ state, errors })),
    [{ state: "available", errors: 0 }],
  );
});

onEachDatabase(
  "five runs that are killed at random moments, and one that is not, index every file once",
  async (t, open) => {
    const here = makeFolder(t, 60, 2 << 20);
    const database = await open(here);
    const moments: string[] = [];
    for (let kills = 0; kills < 5; kills++) {
      const demo = startDemo(t, here, ["data", ...database.args]);
      await demo.line(/^Indexing/);
      const delay = Math.random() * 1000;
      moments.push(delay.toFixed(0));
      const timer = setTimeout(() => demo.kill("SIGKILL"), delay);
      await demo.end;
      clearTimeout(timer);
    }
    t.diagnostic(`killed after ${moments.join(", ")} ms`);
    const { code, output, errors } = await runDemo(t, here, ["data", ...database.args]);
    assert.equal(errors, "");
    assert.equal(code, 0);
    assert.match(output, /files indexed +60 /);
    await assertIndexedOnce(database, 60);
  },
);

/** The soak runs on both databases, so that it cannot rot; its figures mean nothing here. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { spawnNode } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";

test("the heap of a client can be watched on SQLite", (t) => soaks(t, "sqlite"));
postgresTest("the heap of a client can be watched on Postgres", (t) => soaks(t, "postgres"));

async function soaks(t: TestContext, backend: string): Promise<void> {
  const script = new URL("../src/soak.ts", import.meta.url);
  const child = spawnNode(t, script, [`--backend=${backend}`, "--jobs=300,600", "--tolerance=1000"]);
  assert.equal((await child.exit()).code, 0, child.log);
  assert.equal(
    child.log.match(/^\| (?:sqlite|postgres) \| (?:300|600) jobs \| \d+ KiB of heap \|/gm)?.length,
    2,
    child.log,
  );

  const strict = spawnNode(t, script, [`--backend=${backend}`, "--jobs=100,200", "--tolerance=0"]);
  assert.equal((await strict.exit()).code, 1, "a heap that differs by more than the tolerance is a failure");
}

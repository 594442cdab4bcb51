/** The comparison with statements by hand runs, so that it cannot rot; its figures mean nothing here. */
import assert from "node:assert/strict";
import test from "node:test";
import { spawnNode, testScale } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import type { TestContext } from "node:test";

test("the queue can be compared with statements by hand on SQLite", (t) => compares(t, "sqlite"));
postgresTest("the queue can be compared with statements by hand on Postgres", (t) => compares(t, "postgres"));
if (testScale < 20) postgresTest("the same without the two GIN indexes", (t) => compares(t, "postgres-without-gin"));

async function compares(t: TestContext, on: string): Promise<void> {
  const args = [`--on=${on}`, "--jobs=1100", "--singles=60", "--samples=20", "--rounds=1"];
  const child = spawnNode(t, new URL("../src/raw-ceiling.ts", import.meta.url), args);
  assert.equal((await child.exit()).code, 0, child.log);
  const lines =
    child.log.match(/^\| [\w-]+ \| (?:drain|insert)[^|]* \| [\d,]+ \| [\d,]+ \| \*\*\d+\.\d\d\*\* \|/gm) ?? [];
  assert.equal(lines.length, 4, child.log);
  const milliseconds = String.raw`\d+\.\d\d / \d+\.\d\d / \d+\.\d\d`;
  assert.match(child.log, new RegExp(`^\\| ${on} \\| ${milliseconds} \\| ${milliseconds} \\|`, "m"), child.log);
  for (const line of lines) assert.ok(line.startsWith(`| ${on} |`), line);
}

/** The measurement of the claim runs, so that it cannot rot; its figures mean nothing here. */
import assert from "node:assert/strict";
import { spawnNode } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";

test("the cost of claims can be measured", async (t) => {
  const args = ["--rows=300", "--batch=20", "--plans"];
  const child = spawnNode(t, new URL("../src/claim-plan.ts", import.meta.url), args);
  assert.equal((await child.exit()).code, 0);
  assert.equal(child.log.match(/^\| 300 \| (?:held|none) \|/gm)?.length, 2, child.log);
  assert.match(child.log, /LockRows < Index Scan \(river_job_prioritized_fetching_index\)/);
});

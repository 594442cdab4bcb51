/** The measurement of the claim runs, so that it cannot rot; its figures mean nothing here. */
import assert from "node:assert/strict";
import { spawnNode } from "@riverqueue/internal-test-kit";
import { postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";

test("the cost of claims can be measured, of those that resume by the statement that resumes", async (t) => {
  const args = ["--rows=300,4000", "--batch=50", "--plans"];
  const child = spawnNode(t, new URL("../src/claim-plan.ts", import.meta.url), args);
  assert.equal((await child.exit()).code, 0, child.log);
  const cost = String.raw`\d+\.\d ms, \d+ pages`;
  // After 150 claimed jobs the driver does not resume yet, and no other claim may stand for one that does.
  const small = new RegExp(`^\\| 300 \\| (?:held|none) \\| ${cost} \\| ${cost} \\| as from the front \\|`, "gm");
  assert.equal(child.log.match(small)?.length, 2, child.log);
  const large = new RegExp(`^\\| 4,000 \\| (?:held|none) \\| ${cost} \\| ${cost} \\| ${cost} \\|`, "gm");
  assert.equal(child.log.match(large)?.length, 2, child.log);
  const scans = child.log.match(/LockRows < Index Scan \(river_job_prioritized_fetching_index: .*ROW\(.*/gm);
  assert.equal(scans?.length, 2, child.log);
  assert.equal(
    child.log.match(/LockRows < Index Scan \(river_job_prioritized_fetching_index/gm)?.length,
    10,
    child.log,
  );
});

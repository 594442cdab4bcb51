/** The example, as somebody runs it who tries it. */
import assert from "node:assert/strict";
import test from "node:test";
import { spawnNode } from "@riverqueue/internal-test-kit";

test("WT-83 the example finds the same prime in threads and in process, and says what the loop had to wait", async (t) => {
  const child = spawnNode(t, new URL("../src/index.ts", import.meta.url), ["2000"]);
  assert.equal((await child.exit()).code, 0, child.log);
  const delay = String.raw`event loop delayed by [\d.]+ ms \(p99\), [\d.]+ ms \(longest\)`;
  const expected = ["in threads", "in process"].map((where) => `${where}: prime 2000 is 17389, ${delay}\n`).join("");
  const target = String.raw`the target with threads is below 20 ms \(p99\), on a machine that does nothing else\n`;
  assert.match(child.log, new RegExp(`^${expected}${target}$`));
});

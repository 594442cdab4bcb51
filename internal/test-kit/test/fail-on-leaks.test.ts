import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, spawnNode } from "@riverqueue/internal-test-kit";

failOnLeaks();

const script = new URL("./testdata/misbehaving.ts", import.meta.url);

test("a file that leaves nothing behind passes", async (t) => {
  const run = spawnNode(t, script, ["nothing"]);
  assert.deepEqual(await run.exit(), { code: 0, signal: null }, run.log);
});

const leaks = { timer: "Timeout", port: "MessagePort", server: "TCPServerWrap", watcher: "FSEvent" };
for (const [fault, resource] of Object.entries(leaks)) {
  test(`a file that leaves a ${fault} behind fails and names it`, async (t) => {
    const run = spawnNode(t, script, [fault]);
    assert.equal((await run.exit()).code, 1, run.log);
    assert.match(run.log, new RegExp(`left behind by the tests of this file: .*${resource}`));
  });
}

for (const fault of ["rejection", "exception"]) {
  test(`a file with a late ${fault} fails`, async (t) => {
    const run = spawnNode(t, script, [fault]);
    assert.equal((await run.exit()).code, 1, run.log);
    assert.match(run.log, new RegExp(`late ${fault}`));
  });
}

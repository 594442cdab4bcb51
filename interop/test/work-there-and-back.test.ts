/** Jobs that one side inserts and the other works. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS } from "../src/peer-values.ts";

failOnLeaks();

for (const [from, to] of DIRECTIONS) {
  interopTest(`${from} inserts, ${to} works`, async (t, { peer }) => {
    const producer = await peer(from);
    await producer.open();
    const worker = await peer(to);
    await worker.work({ clientId: "worker", queues: { default: 5 }, kinds: ["task"] });
    const { job, duplicate } = await producer.insert({ kind: "task", args: { n: 1 } });
    assert.equal(duplicate, false);
    await worker.whenJob("job_completed", job.id);
    const row = await producer.get(job.id);
    assert.equal(row?.state, "completed");
    assert.deepEqual(row.attemptedBy, ["worker"]);
    await worker.call("stop");
  });
}

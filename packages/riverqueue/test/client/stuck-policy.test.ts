/** What the rescuer is told about the client's workers: whom it may take for dead, and when their jobs run again. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import type { ClientOptions } from "../../src/client/client-options.ts";
import { resolveClientOptions } from "../../src/client/resolve-client-options.ts";
import { stuckPolicyOf } from "../../src/client/stuck-policy.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import { attachEnvironment, environmentOf } from "../../src/kit/environment.ts";
import type { StuckJobPolicy } from "../../src/maintenance/stuck-job-policy.ts";
import { jobRowOf } from "../../src/model/job-row-view.ts";
import { Workers } from "../../src/work/workers.ts";
import { claimed } from "../attempt/testdata/attempt-harness.ts";

const environment = environmentOf(attachEnvironment({}, { clock: new ManualClock(), random: () => 0.5 }));
const now = environment.clock.now();
const twice = defineJob({ kind: "twice", kindAliases: ["double"], decode: ({ n }) => ({ n: Number(n) * 2 }) });

function policyOf(workers: Workers, options: ClientOptions = {}): StuckJobPolicy {
  return stuckPolicyOf(resolveClientOptions({ workers, logger: false, ...options }, environment), environment);
}

function timeouts(policy: StuckJobPolicy): unknown[] {
  return ["twice", "double", "plain", "endless"].map((kind) => policy.workerOf(kind)?.timeoutMs);
}

test("the timeout that counts for a rescue is the worker's, else the client's, and there may be none", () => {
  const workers = new Workers()
    .add(twice, () => {}, { timeout: { minutes: 5 } })
    .add(defineJob({ kind: "plain" }), () => {})
    .add(defineJob({ kind: "endless" }), () => {}, { timeout: null });
  assert.deepEqual(timeouts(policyOf(workers)), [300_000, 300_000, 60_000, null]);
  assert.deepEqual(timeouts(policyOf(workers, { jobTimeout: null })), [300_000, 300_000, null, null]);
  assert.equal(policyOf(workers).workerOf("unknown"), null);
});

test("a rescued job runs again when its worker says, with decoded arguments, else its client, else the built-in policy", async () => {
  const row = jobRowOf(claimed({ kind: "twice", args: '{"n":3}' }));
  const byWorker = new Workers().add(twice, () => {}, { retryPolicy: ({ args }) => now.add({ minutes: args.n }) });
  const plain = new Workers().add(twice, () => {});
  const ofClient: ClientOptions = { retryPolicy: ({ args }) => now.add({ hours: Number(args["n"]) }) };
  const times = [];
  for (const policy of [policyOf(byWorker, ofClient), policyOf(plain, ofClient), policyOf(plain)]) {
    const worker = policy.workerOf("twice");
    const job = await worker?.decode(row);
    assert.ok(worker && job);
    times.push([worker.retryTime(job, now), policy.retryTime(row, now)].map((time) => now.until(time).toString()));
  }
  // The second of each: arguments that do not decode leave the worker out.
  assert.deepEqual(times, [
    ["PT360S", "PT10800S"],
    ["PT10800S", "PT10800S"],
    ["PT1S", "PT1S"],
  ]);
});

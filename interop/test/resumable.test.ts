/** Steps and cursors that one side leaves and the other goes on from. */
import assert from "node:assert/strict";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import type { JsonValue } from "riverqueue";
import { interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import { DIRECTIONS } from "../src/peer-values.ts";
import { type AttemptPlan, type PlannedStep, plannedJob } from "../src/planned-job.ts";
import { UNIQUE_NONCE } from "../src/row-text.ts";

failOnLeaks();

const STEPS: readonly PlannedStep[] = [
  { name: "fetch" },
  { name: "import", cursor: { page: 7, seen: ["a", "b"] } },
  { name: "report" },
];

function stepsOf(peer: Peer, jobId: string): [string, JsonValue][] {
  return peer.events
    .filter((event) => event.event === "step" && event.jobId === jobId)
    .map(({ detail }) => {
      const { name, cursor } = detail as { name: string; cursor: JsonValue };
      return [name, plain(cursor) as JsonValue];
    });
}

for (const [from, to] of DIRECTIONS) {
  for (const [name, steps, failIn, expected, left] of [
    ["in a plain step", STEPS, "report", [["report", null]], "import"],
    [
      "in a step with a cursor",
      STEPS,
      "import",
      [
        ["import", { page: 7, seen: ["a", "b"] }],
        ["report", null],
      ],
      "fetch",
    ],
    [
      "in the very first step, which has a cursor",
      STEPS.slice(1),
      "import",
      [
        ["import", { page: 7, seen: ["a", "b"] }],
        ["report", null],
      ],
      null,
    ],
    [
      "after a checkpoint in a transaction",
      [{ name: "fetch" }, { name: "import", cursor: 12, checkpoint: true }, { name: "report" }],
      "import",
      [
        ["import", 12],
        ["report", null],
      ],
      "import",
    ],
  ] as const) {
    interopTest(`${from} fails ${name}, ${to} goes on from there`, async (_, { peer, query, backend }) => {
      const plan: AttemptPlan[] = [
        { do: "steps", steps, failIn, retryMs: 3_600_000 },
        { do: "steps", steps },
      ];
      const first = await peer(from);
      await first.work({ queues: { default: 2 }, kinds: ["task"] });
      const { job } = await first.insert(plannedJob("task", plan));
      await first.whenJob("job_failed", job.id);
      await first.call("stop");
      const failed = await first.get(job.id);
      const second = await peer(to);
      await second.work({ queues: { default: 2 }, kinds: ["task"] });
      await second.call("retry", { id: job.id });
      await second.insert({ kind: "task", args: { plan: [] } });
      await second.whenJob("job_completed", job.id);
      assert.deepEqual(stepsOf(second, job.id), expected, JSON.stringify(failed?.metadata));
      await second.call("stop");
      const stored = await query(
        backend === "postgres"
          ? "SELECT metadata ->> 'river:resumable_step' AS step FROM river_job WHERE attempt = 2"
          : "SELECT metadata ->> '$.\"river:resumable_step\"' AS step FROM river_job WHERE attempt = 2",
      );
      assert.deepEqual(plain(stored), [{ step: left }]);
    });
  }
}

interopTest("both sides store the same step and cursor", async (_, { peer }) => {
  const stored = [];
  for (const side of ["ours", "go"] as const) {
    const worker = await peer(side);
    await worker.work({ queues: { default: 2 }, kinds: ["task"] });
    const plan: AttemptPlan[] = [{ do: "steps", steps: STEPS, failIn: "import", retryMs: 3_600_000 }];
    const { job } = await worker.insert(plannedJob("task", plan));
    await worker.whenJob("job_failed", job.id);
    const { [UNIQUE_NONCE]: _nonce, ...metadata } = (await worker.get(job.id))?.metadata ?? {};
    stored.push(plain(metadata));
    await worker.call("stop");
  }
  assert.deepEqual(stored[0], stored[1]);
});

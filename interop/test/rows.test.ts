/** Every column of a row: what one side writes the other reads, and both write the same for the same job. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { parseJsonObject } from "riverqueue";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS, type PeerJobSpec } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";
import { rowText, UNIQUE_NONCE } from "../src/row-text.ts";

failOnLeaks();

const SPECS: Readonly<Record<string, PeerJobSpec>> = {
  plain: { kind: "task" },
  "every option": {
    kind: "ns.job·v2:x/<y>",
    args: { a: 1, b: [true, null, "x"] },
    maxAttempts: 7,
    metadata: { trace: { id: "t-1" }, z: null, a: [1, 2] },
    priority: 4,
    queue: "a-b_c|d",
    scheduledAt: "2031-02-03T04:05:06.789Z",
    tags: ["one", "two_2", "one"],
  },
  "scheduled in the past": { kind: "task", scheduledAt: "2001-02-03T04:05:06Z" },
  pending: { kind: "task", pending: true },
  "pending and scheduled": { kind: "task", pending: true, scheduledAt: "2031-02-03T04:05:06Z" },
  "exact numbers": {
    kind: "task",
    args: parseJsonObject('{"big":9223372036854775807,"small":1e-7,"long":0.1000000000000000055511151231257827}'),
  },
  "text of all kinds": {
    kind: "task",
    args: {
      html: '<a href="x">&</a>',
      line: "a\u2028b\u2029c\n\t\b\f\u0001\u007f",
      script: "čeština 日本語 🚀",
      "": 0,
      "10": 1,
      "9": 2,
    },
  },
  "nested order": { kind: "task", args: { z: { y: 1, x: 2, 5: 3 }, a: [{ d: 1, c: 2 }] } },
  unique: { kind: "task", args: { b: 1, a: 2 }, unique: { byArgs: true, byQueue: true } },
  "unique in chosen states": {
    kind: "task",
    args: { a: 1 },
    unique: { byArgs: true, byState: ["available", "pending", "running", "scheduled", "cancelled", "discarded"] },
  },
};

interopTest(
  "both sides read every column of the other's row alike, and write the same row",
  async (_, { peer, backend }) => {
    const [ours, go] = [await peer("ours"), await peer("go")];
    await Promise.all([ours.open(), go.open()]);
    for (const [name, spec] of Object.entries(SPECS)) {
      const written = [];
      for (const side of [ours, go]) {
        const { job, duplicate } = await side.insert(spec);
        assert.equal(duplicate, false, name);
        const [own, other] = [await ours.get(job.id), await go.get(job.id)];
        assert.equal(rowText(own), rowText(other), `${name}, inserted by ${side.side}, read by both`);
        // We answer an insertion without reading the row back, and so before Postgres has ordered the keys.
        assert.equal(rowText(job, { order: false }), rowText(own, { order: false }), `${name}, answer of ${side.side}`);
        // How Go tells a conflict on SQLite; we have no need of it, and Go none of ours.
        assert.equal(UNIQUE_NONCE in job.metadata, backend === "sqlite" && side === go, `${name}, ${side.side}`);
        written.push(own);
        await side.call("delete", { id: job.id });
      }
      const columns = ["id", "createdAt", ...(spec.scheduledAt === undefined ? ["scheduledAt" as const] : [])] as const;
      const texts = written.map((job) => rowText(job, { columns, metadata: [UNIQUE_NONCE], order: false }));
      assert.equal(texts[0], texts[1], `${name}, written by both`);
    }
  },
);

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `a row that ${to} has worked is read alike by both, and inserted by ${from} in a batch`,
    async (_, { peer }) => {
      const producer = await peer(from);
      await producer.open();
      const worker = await peer(to);
      await worker.work({ clientId: "w", queues: { default: 5 }, kinds: ["task"] });
      const results = await producer.insertMany([
        plannedJob("task", [{ do: "output", value: { deep: [1, { x: null }] } }]),
        plannedJob("task", [{ do: "error", message: '<b>&\u2028"quoted"' }], { maxAttempts: 1 }),
        plannedJob("task", [{ do: "panic", message: "panicked" }], { maxAttempts: 3 }),
        plannedJob("task", [{ do: "snooze", ms: 3_600_000 }]),
        plannedJob("task", [{ do: "cancel", message: "enough" }]),
      ]);
      const ends = ["job_completed", "job_failed", "job_failed", "job_snoozed", "job_cancelled"];
      for (const [index, { job }] of results.entries()) {
        await worker.whenJob(ends[index] ?? "", job.id);
        const texts = [await producer.get(job.id), await worker.get(job.id)].map((row) => rowText(row));
        assert.equal(texts[0], texts[1]);
      }
      await worker.call("stop");
    },
  );
}

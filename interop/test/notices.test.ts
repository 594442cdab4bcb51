/** What clients tell each other: the same bytes from both, and heard by both. */
import assert from "node:assert/strict";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { hearNotices, type Notice } from "../src/heard-notices.ts";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS, type PeerSide } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";

failOnLeaks();

/** Far longer than any wait of a test, so that nothing is noticed by polling within one. */
const DEAF = { pollIntervalMs: 600_000, controlPollMs: 600_000 } as const;

interopTest("the payloads of both sides are the same bytes", async (t, world) => {
  const said: Record<PeerSide, Notice[]> = { go: [], ours: [] };
  const hear = await hearNotices(t, world);
  let before = 0;
  for (const side of ["go", "ours"] as const) {
    const actor = await world.peer(side);
    await actor.work({ clientId: "actor", queues: { first: 2, second: 2 }, kinds: ["task"] });
    await world.until("SELECT count(*) = 1 AS leads FROM river_leader");
    await actor.insert({ kind: "task", queue: "first" });
    const { job } = await actor.insert(plannedJob("task", [{ do: "wait" }], { queue: "second" }));
    await actor.whenJob("waiting", job.id);
    await actor.call("cancel", { id: job.id });
    await actor.whenJob("job_cancelled", job.id);
    await actor.call("pause", { name: "first" });
    await actor.call("resume", { name: "first" });
    await actor.call("pause", { name: "*" });
    await actor.call("resume", { name: "*" });
    await actor.call("updateQueue", { name: "first", metadata: { b: { z: 1, a: "<é>" }, a: [1, null] } });
    await actor.call("requestResign");
    const notices = await hear(before + 9);
    said[side] = notices
      .slice(before, before + 9)
      .map(([topic, payload]) => [topic, payload.replace(`${job.id},`, "ID,")]);
    await actor.call("stop");
    before = (await hear(0)).length;
  }
  assert.deepEqual(said.ours, said.go);
  const cancel =
    world.backend === "postgres"
      ? '{"action" : "cancel", "job_id" : ID, "queue" : "second"}'
      : '{"action":"cancel","job_id":ID,"queue":"second"}';
  assert.deepEqual(said.go.slice(0, 5), [
    ["river_insert", '{"queue": "first"}'],
    ["river_insert", '{"queue": "second"}'],
    ["river_control", cancel],
    ["river_control", '{"action":"pause","queue":"first"}'],
    ["river_control", '{"action":"resume","queue":"first"}'],
  ]);
  assert.deepEqual(said.go.at(-1), ["river_leadership", '{"action":"request_resign","leader_id":""}']);
});

interopTest(
  "a leader that stops says so in the same bytes",
  async (t, world) => {
    const payloads = [];
    for (const side of ["go", "ours"] as const) {
      const leader = await world.peer(side);
      await leader.work({ clientId: "leader", queues: { default: 1 }, kinds: ["task"] });
      await world.until("SELECT count(*) = 1 AS leads FROM river_leader");
      const hear = await hearNotices(t, world);
      await leader.call("stop");
      payloads.push((await hear(1)).at(-1));
    }
    assert.deepEqual(payloads[0], ["river_leadership", '{"leader_id" : "leader", "action" : "resigned"}']);
    assert.deepEqual(payloads[1], payloads[0]);
  },
  { backends: ["postgres"] },
);

for (const [from, to] of DIRECTIONS) {
  interopTest(`what ${from} says wakes ${to}, which does not come to poll`, async (_, { peer }) => {
    const sender = await peer(from);
    await sender.open();
    const worker = await peer(to);
    await worker.work({ queues: { default: 2, other: 2 }, kinds: ["task"], ...DEAF });
    const { job } = await sender.insert(plannedJob("task", [{ do: "wait" }]));
    await worker.whenJob("waiting", job.id);
    await sender.call("cancel", { id: job.id });
    // Go looks for cancellations each minute by itself, whatever its settings.
    await withDeadline(worker.whenJob("aborted", job.id), "the notice of a cancellation", { deadlineMs: 50_000 });
    await worker.whenJob("job_cancelled", job.id);
    await sender.call("pause", { name: "other" });
    await worker.when(({ event, queue }) => event === "queue_paused" && queue === "other");
    const { job: held } = await sender.insert({ kind: "task", queue: "other" });
    await sender.call("resume", { name: "other" });
    await worker.whenJob("job_completed", held.id);
    await worker.call("stop");
  });

  interopTest(`what ${from} promotes wakes ${to}, which does not come to poll`, async (_, { peer, until }) => {
    const leader = await peer(from);
    await leader.work({ queues: { elsewhere: 1 }, kinds: ["task"] });
    await until("SELECT count(*) = 1 AS leads FROM river_leader");
    const worker = await peer(to);
    await worker.work({ queues: { default: 1 }, kinds: ["task"], leaderElectionDisabled: true, ...DEAF });
    const { job } = await leader.insert({ kind: "task", scheduledAt: "2020-01-01T00:00:00Z" });
    await worker.whenJob("job_completed", job.id);
    await worker.call("stop");
    await leader.call("stop");
  });
}

for (const side of ["ours", "go"] as const) {
  interopTest(
    `E10 2,000 single inserts of ${side}'s send one notice a queue and cooldown, so that they cost the commits nothing`,
    async (t, world) => {
      const producer = await world.peer(side);
      await producer.open({ fetchCooldownMs: 100 });
      const hear = await hearNotices(t, world);
      const began = performance.now();
      for (let n = 0; n < 2_000; n += 20) {
        await Promise.all(Array.from({ length: 20 }, () => producer.insert({ kind: "task" })));
      }
      const windows = Math.ceil((performance.now() - began) / 100) + 1;
      const heard = await hear(1);
      assert(heard.length <= windows, `${heard.length} notices in ${windows} windows`);
      assert(heard.length < 2_000);
      await world.until("SELECT count(*) = 2000 AS done FROM river_job");
    },
  );
}

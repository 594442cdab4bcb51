/** Cancel, pause, retry, delete and update by one side, of what the other side works or has stored. */
import assert from "node:assert/strict";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import type { JobRowJson } from "riverqueue";
import { interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import { DIRECTIONS, type PeerQueue } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";
import { rowText, UNIQUE_NONCE } from "../src/row-text.ts";

failOnLeaks();

const REMOTE = "JobCancelError: job cancelled remotely";

async function assertCancelled(peer: Peer, id: string): Promise<void> {
  const row = await peer.get(id);
  assert.deepEqual([row?.state, row?.errors.map(({ error }) => error)], ["cancelled", [REMOTE]]);
  assert.match(row?.metadata["cancel_attempted_at"] as string, /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/);
}

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `${from} cancels jobs that ${to} runs: aborted and cancelled, or completed where the handler succeeds all the same`,
    async (_, { peer }) => {
      const canceller = await peer(from);
      await canceller.open();
      const worker = await peer(to);
      await worker.work({ queues: { default: 5 }, kinds: ["task"] });
      const [{ job: heeding } = {}, { job: ignoring } = {}] = await canceller.insertMany([
        plannedJob("task", [{ do: "wait" }]),
        plannedJob("task", [{ do: "ignore" }]),
      ]);
      assert(heeding && ignoring);
      for (const { id } of [heeding, ignoring]) {
        await worker.whenJob("waiting", id);
        const row = await canceller.call<JobRowJson>("cancel", { id });
        assert.equal(row.state, "running", "it is for its client to end it");
        await worker.whenJob("aborted", id);
      }
      await worker.whenJob("job_cancelled", heeding.id);
      await worker.whenJob("job_completed", ignoring.id);
      await assertCancelled(canceller, heeding.id);
      assert.equal((await canceller.get(ignoring.id))?.state, "completed");
      await worker.call("stop");
    },
  );

  interopTest(`${from} cancels jobs that wait, which ${to} has inserted`, async (_, { peer, query }) => {
    const [canceller, producer] = [await peer(from), await peer(to)];
    await Promise.all([canceller.open(), producer.open()]);
    const specs = [{}, { pending: true }, { scheduledAt: "2031-01-01T00:00:00Z" }, {}];
    const jobs = await producer.insertMany(specs.map((spec) => ({ kind: "task", metadata: { keep: 1 }, ...spec })));
    await query(`UPDATE river_job SET state = 'retryable' WHERE id = ${jobs[3]?.job.id}`);
    for (const { job } of jobs) {
      const row = await canceller.call<JobRowJson>("cancel", { id: job.id });
      assert.deepEqual([row.state, row.metadata["keep"], row.errors], ["cancelled", 1, []]);
      assert(row.finalizedAt !== null && row.metadata["cancel_attempted_at"] !== undefined);
      assert.equal(rowText(await producer.get(job.id)), rowText(await canceller.get(job.id)));
      // Finalized rows stay as they are.
      assert.equal(rowText(await producer.call("cancel", { id: job.id })), rowText(await canceller.get(job.id)));
    }
    assert.equal(await canceller.call("cancel", { id: "999999" }).catch(() => null), null);
  });

  interopTest(
    `C14 (d) a cancellation of ${from}'s that is rolled back does nothing to what ${to} runs, one that commits does`,
    async (_, { peer }) => {
      const canceller = await peer(from);
      await canceller.open();
      const worker = await peer(to);
      await worker.work({ queues: { default: 5 }, kinds: ["task"] });
      const plans = [plannedJob("task", [{ do: "wait" }]), plannedJob("task", [{ do: "wait" }])];
      const [{ job } = {}, { job: marker } = {}] = await canceller.insertMany(plans);
      assert(job && marker);
      for (const { id } of [job, marker]) await worker.whenJob("waiting", id);
      const cancel = async (id: string, end: "commit" | "rollback"): Promise<void> => {
        const tx = await canceller.call<number>("begin");
        await canceller.call("cancel", { id, tx });
        await canceller.call(end, { tx });
      };
      await cancel(job.id, "rollback");
      assert.equal((await canceller.get(job.id))?.metadata["cancel_attempted_at"], undefined);
      // Notices come in order: one of the first job would have come before that of the second.
      await cancel(marker.id, "commit");
      await worker.whenJob("job_cancelled", marker.id);
      assert(!worker.about(job.id).includes("aborted"));
      await cancel(job.id, "commit");
      await worker.whenJob("job_cancelled", job.id);
      await worker.call("stop");
    },
  );

  interopTest(`C14 (c) ${from} cancels what ${to} runs with pollOnly`, async (_, { peer }) => {
    const canceller = await peer(from);
    await canceller.open();
    const worker = await peer(to);
    await worker.work({ queues: { default: 5 }, kinds: ["task"], pollOnly: true, pollIntervalMs: 200 });
    const { job } = await canceller.insert(plannedJob("task", [{ do: "wait" }]));
    await worker.whenJob("waiting", job.id);
    await canceller.call("cancel", { id: job.id });
    await worker.whenJob("job_cancelled", job.id);
    await assertCancelled(canceller, job.id);
    await worker.call("stop");
  });

  interopTest(`${from} pauses, resumes and describes queues that ${to} works`, async (_, { peer, until }) => {
    const operator = await peer(from);
    await operator.open();
    const worker = await peer(to);
    await worker.work({ queues: { first: 1, second: 1 }, kinds: ["task"], pollIntervalMs: 200 });
    for (const [name, queues] of [
      ["first", ["first"]],
      ["*", ["first", "second"]],
    ] as const) {
      worker.events.length = 0;
      await operator.call("pause", { name });
      for (const queue of queues) {
        await worker.when((event) => event.event === "queue_paused" && event.queue === queue);
        assert.notEqual((await worker.queue(queue))?.pausedAt, null);
      }
      const held = await Promise.all(queues.map((queue) => operator.insert({ kind: "task", queue })));
      const fresh = await peer(to);
      const free = `free-${queues.length}`;
      await fresh.work({ queues: { first: 1, [free]: 1 }, kinds: ["task"], pollIntervalMs: 200 });
      const { job: marker } = await operator.insert({ kind: "task", queue: free });
      await fresh.whenJob("job_completed", marker.id);
      await fresh.call("stop");
      for (const { job } of held)
        assert.equal((await operator.get(job.id))?.attempt, 0, "still paused after a restart");
      await operator.call("resume", { name });
      for (const { job } of held) await worker.whenJob("job_completed", job.id);
    }
    const metadata = { limit: 3, note: { a: null } };
    await operator.call("updateQueue", { name: "first", metadata });
    const seen = [await operator.queue("first"), await worker.queue("first")];
    assert.deepEqual(plain(seen[0]), plain(seen[1]));
    assert.deepEqual(plain(seen[0]?.metadata), metadata);
    assert.deepEqual(
      plain(await operator.call<PeerQueue[]>("queues")),
      plain(await worker.call<PeerQueue[]>("queues")),
    );
    await until("SELECT count(*) = 0 AS done FROM river_job WHERE state <> 'completed'");
    await worker.call("stop");
  });

  interopTest(`${from} retries, changes and deletes what ${to} has worked`, async (_, { peer }) => {
    const operator = await peer(from);
    await operator.open();
    const worker = await peer(to);
    await worker.work({ clientId: "worker", queues: { default: 5 }, kinds: ["task"], pollIntervalMs: 200 });
    const { job: failed } = await operator.insert(
      plannedJob("task", [{ do: "error", message: "boom" }, { do: "complete" }], { maxAttempts: 1 }),
    );
    await worker.whenJob("job_failed", failed.id);
    await operator.call("retry", { id: failed.id });
    await worker.whenJob("job_completed", failed.id);
    const row = await worker.get(failed.id);
    assert.deepEqual([row?.attempt, row?.maxAttempts, row?.errors.length], [2, 2, 1]);

    const { job: waiting } = await operator.insert(plannedJob("task", [{ do: "wait" }]));
    await worker.whenJob("waiting", waiting.id);
    await assert.rejects(operator.call("delete", { id: waiting.id }), /running/i);
    assert.deepEqual(await operator.call("deleteMany", { ids: [Number(waiting.id)] }), []);
    await operator.call("cancel", { id: waiting.id });
    await worker.whenJob("job_cancelled", waiting.id);
    const again = await operator.call<JobRowJson>("retry", { id: waiting.id });
    assert.equal(again.metadata["cancel_attempted_at"], undefined, "a retry takes the mark back");
    await worker.when(
      ({ event, jobId }) =>
        event === "waiting" &&
        jobId === waiting.id &&
        worker.about(waiting.id).filter((name) => name === "waiting").length === 2,
    );
    await worker.call("release", { id: waiting.id });
    await worker.whenJob("job_completed", waiting.id);

    const output = { z: 1, a: [null, "<x>"] };
    await operator.call("update", { id: failed.id, output });
    const { [UNIQUE_NONCE]: _nonce, ...metadata } = (await worker.get(failed.id))?.metadata ?? {};
    assert.deepEqual(plain(metadata), { output });
    const deleted = await operator.call<JobRowJson>("delete", { id: failed.id });
    assert.equal(deleted.id, failed.id);
    assert.equal(await worker.get(failed.id), null);
    const gone = await operator.call<JobRowJson[]>("deleteMany", { states: ["completed"], limit: 10 });
    assert.deepEqual(
      gone.map(({ id }) => id),
      [waiting.id],
    );
    await worker.call("stop");
  });
}

interopTest(
  "C14 (a) Go cancels while our connection that listens is silent: the next look at running jobs finds it",
  async (t, world) => {
    const proxy = await startPostgresProxy(t, world.address);
    const worker = await world.peer("ours", proxy.url);
    await worker.work({ queues: { default: 5 }, kinds: ["task"] });
    const canceller = await world.peer("go");
    await canceller.open();
    const { job } = await canceller.insert(plannedJob("task", [{ do: "wait" }]));
    await worker.whenJob("waiting", job.id);
    const end = proxy.stall("LISTEN");
    await canceller.call("cancel", { id: job.id });
    await worker.whenJob("job_cancelled", job.id);
    await assertCancelled(canceller, job.id);
    end();
    await worker.call("stop");
  },
  { backends: ["postgres"] },
);

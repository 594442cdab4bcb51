/** Jobs of a process that was killed, and clients that never lead beside one that does. */
import assert from "node:assert/strict";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { interopTest } from "../src/interop-test.ts";
import { DIRECTIONS } from "../src/peer-values.ts";
import { plannedJob } from "../src/planned-job.ts";
import { UNIQUE_NONCE } from "../src/row-text.ts";

failOnLeaks();

const SOON = { jobTimeoutMs: 900, rescueAfterMs: 1_000, rescuerIntervalMs: 30_000 } as const;

for (const [from, to] of DIRECTIONS) {
  interopTest(`${to} rescues what ${from} was working when it was killed`, async (_, world) => {
    const victim = await world.peer(from);
    await victim.work({
      clientId: "victim",
      queues: { default: 5 },
      kinds: ["task", "unknown"],
      leaderElectionDisabled: true,
    });
    const wait = { do: "wait" } as const;
    const jobs = await victim.insertMany([
      plannedJob("task", [wait, { do: "complete" }]),
      plannedJob("task", [wait], { maxAttempts: 1 }),
      plannedJob("unknown", [wait]),
      plannedJob("task", [wait]),
    ]);
    const [again = "", last = "", unknown = "", cancelled = ""] = jobs.map(({ job }) => job.id);
    for (const { job } of jobs) await victim.whenJob("waiting", job.id);
    await victim.kill();
    const rescuer = await world.peer(to);
    await rescuer.open({ clientId: "rescuer", queues: { default: 5 }, kinds: ["task"], ...SOON });
    await rescuer.call("cancel", { id: cancelled });
    const past =
      world.backend === "postgres" ? "now() - interval '2 seconds'" : "datetime('now', 'subsec', '-2 seconds')";
    await world.until(`SELECT count(*) = 4 AS due FROM river_job WHERE attempted_at < ${past}`);
    await rescuer.call("start");
    await world.until("SELECT count(*) = 0 AS done FROM river_job WHERE state = 'running'");
    await rescuer.whenJob("job_completed", again);
    const rows = await Promise.all([again, last, unknown, cancelled].map((id) => rescuer.get(id)));
    assert.deepEqual(
      rows.map((row) => row?.state),
      ["completed", "discarded", "discarded", "cancelled"],
    );
    assert.deepEqual(
      rows.map((row) => row?.attempt),
      [2, 1, 1, 1],
    );
    for (const row of rows) {
      const { [UNIQUE_NONCE]: _nonce, cancel_attempted_at: _at, ...metadata } = row?.metadata ?? {};
      assert.deepEqual(plain(metadata), { "river:rescue_count": 1 });
      const [failed] = row?.errors ?? [];
      assert.deepEqual(
        [failed?.error, failed?.attempt, failed?.trace, row?.errors.length],
        ["Stuck job rescued by JobRescuer", 1, "", 1],
      );
    }
    await rescuer.call("stop");
  });

  for (const order of ["first", "last"] as const) {
    interopTest(
      `E06 ${from} never leads and knows one kind, ${to} knows all and starts ${order}: its scheduled, periodic and stuck jobs are served`,
      async (_, world) => {
        const x = await world.peer(from);
        const y = await world.peer(to);
        const startX = () =>
          x.work({
            clientId: "x",
            queues: { default: 2 },
            kinds: ["task"],
            leaderElectionDisabled: true,
            fetchOnlyKnownKinds: true,
            pollIntervalMs: 200,
          });
        const periodic = [{ id: "report", everyMs: 1_000, job: { kind: "report" } }];
        const startY = () =>
          y.work({
            clientId: "y",
            queues: { default: 2 },
            kinds: ["task", "report"],
            periodic,
            pollIntervalMs: 200,
            ...SOON,
          });
        const producer = await world.peer(to);
        await producer.open();
        const [{ job: stuck } = {}, { job: scheduled } = {}] = await producer.insertMany([
          { kind: "report" },
          { kind: "report", scheduledAt: "2020-01-01T00:00:00Z" },
        ]);
        await world.query(
          `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = '2020-01-01 00:00:00.000' WHERE id = ${stuck?.id}`,
        );
        await (order === "first" ? startY() : startX());
        await (order === "first" ? startX() : startY());
        await y.whenJob("job_completed", scheduled?.id ?? "");
        await y.whenJob("job_completed", stuck?.id ?? "");
        await y.when(
          ({ event, kind, jobId }) =>
            event === "job_completed" && kind === "report" && jobId !== stuck?.id && jobId !== scheduled?.id,
        );
        const { job } = await producer.insert({ kind: "task" });
        await world.until(`SELECT count(*) = 1 AS done FROM river_job WHERE id = ${job.id} AND state = 'completed'`);
        assert.equal(x.events.filter(({ event, kind }) => event === "work" && kind === "report").length, 0);
        await y.call("stop");
        // X alone: nothing promotes, and X works what is available all the same.
        const { job: late } = await producer.insert({ kind: "task", scheduledAt: "2020-01-01T00:00:00Z" });
        const { job: plainJob } = await producer.insert({ kind: "task" });
        await x.whenJob("job_completed", plainJob.id);
        assert.equal((await producer.get(late.id))?.state, "scheduled");
        assert.deepEqual(await world.query("SELECT leader_id FROM river_leader"), []);
        await x.call("stop");
      },
    );
  }
}

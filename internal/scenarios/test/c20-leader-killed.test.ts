/** Stuck jobs behind more than a page of live ones, and a leader that is killed in the midst of rescuing them. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, spawnNode } from "@riverqueue/internal-test-kit";
import type { LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { Workers } from "riverqueue";
import { onPostgres, postgresDatabase } from "../src/database.ts";
import { openScene } from "../src/scene.ts";
import { endless, maintenance, strict, task } from "./testdata/rescue-kinds.ts";

failOnLeaks();

const LIVE = 1_200;

/** Jobs that began two hours ago, in this order of IDs. */
async function insertRunning(lease: LeasedPostgresDatabase): Promise<void> {
  const insert = `INSERT INTO river_job (kind, args, state, attempt, max_attempts, attempted_at, attempted_by, queue, priority)
    SELECT $1, $2::jsonb || jsonb_build_object('n', n), 'running', 1, 25, now() - interval '2 hours', $3, 'default', 1
    FROM generate_series(1, $4::int) AS n`;
  await lease.query(insert, ["endless", "{}", ["alive"], LIVE]);
  await lease.query(insert, ["strict", "{}", ["dead"], 1]);
  await lease.query(insert, ["task", "{}", ["dead"], 5]);
  await lease.query(insert, ["nobody-knows", "{}", ["dead"], 1]);
}

/** A digest of everything in the rows of the live jobs. */
async function liveRows(lease: LeasedPostgresDatabase): Promise<unknown> {
  const digest = "SELECT count(*)::int AS n, md5(string_agg(job::text, ',' ORDER BY id)) AS all FROM river_job AS job";
  return (await lease.query(`${digest} WHERE kind = 'endless'`))[0];
}

onPostgres(
  "C20 a leader is killed half way through a rescue; the next one finds all five stuck jobs behind 1,200 live ones",
  async (t, lease) => {
    await insertRunning(lease);
    const before = await liveRows(lease);
    assert.equal((before as { n: number }).n, LIVE);

    const first = spawnNode(t, new URL("testdata/hanging-leader.ts", import.meta.url), [lease.url]);
    await first.next((message) => message === "leads");
    const calls: number[] = [];
    const workers = new Workers()
      .add(task, ({ job }) => void calls.push(Number(job.args["n"])))
      .add(strict, () => assert.fail("its arguments are no good"))
      .add(endless, () => assert.fail("nothing of this kind is given back"), { timeout: null });
    const { start, events, logs, client } = openScene(t, postgresDatabase(lease), { client: { workers, maintenance } });
    const run = await start();
    // It has read the first page and is deciding about the second when it dies.
    await first.next((message) => message === "decides");
    assert.equal(run.diagnostics.maintenance?.isLeader, false);
    assert.equal((await first.kill()).signal, "SIGKILL");
    const states = "SELECT state, count(*)::int AS n FROM river_job GROUP BY state";
    assert.deepEqual(await lease.query(states), [{ state: "running", n: LIVE + 7 }]);

    await events.when("leader_acquired");
    const [rescue] = await events.when("maintenance_succeeded", 1, ({ service }) => service === "rescuer");
    assert.equal(rescue?.count, 7);
    await events.when("job_completed", 5);
    await events.when("job_failed", 1, ({ job }) => job.kind === "strict");
    assert.deepEqual(
      calls.toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5],
    );
    const { jobs } = await client.jobs.list({ kinds: ["nobody-knows", "strict", "task"] });
    for (const { kind, state, attempt, errors, metadata } of jobs) {
      const [rescued, decoded] = errors;
      assert.deepEqual([rescued?.attempt, rescued?.error], [1, "Stuck job rescued by JobRescuer"]);
      assert.equal(Number(metadata["river:rescue_count"]), 1);
      if (kind === "task") assert.deepEqual([state, attempt, errors.length], ["completed", 2, 1]);
      else if (kind === "strict") assert.deepEqual([attempt, decoded?.attempt], [2, 2]);
      else assert.deepEqual([state, attempt, errors.length], ["discarded", 1, 1]);
    }
    assert.equal(jobs.length, 7);
    assert.deepEqual(
      logs.filter(({ level, attributes }) => level === "error" && attributes["jobKind"] === "nobody-knows").length,
      1,
    );
    // The second pass finds nothing, and the live ones are as they were, to the last column.
    const passes = run.diagnostics.maintenance?.runs.rescuer ?? 0;
    await pollUntil(() => (run.diagnostics.maintenance?.runs.rescuer ?? 0) > passes);
    assert.deepEqual(await liveRows(lease), before);
    assert.equal(events.of("leader_acquired").length, 1);
  },
);

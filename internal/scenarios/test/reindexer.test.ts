/** Indexes that a leader rebuilds on Postgres while jobs are worked: locked, left half built, and interrupted. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import type { LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { DatabaseOperationError, type MaintenanceOptions, REINDEXER_INDEX_NAMES_DEFAULT } from "riverqueue";
import { onPostgres, postgresDatabase } from "../src/database.ts";
import { insertRaw } from "../src/raw-jobs.ts";
import { openScene, quickQueue, type Scene } from "../src/scene.ts";

failOnLeaks();

/** A leader whose reindexer runs once it is told to, as often as it is told to. */
function reindexingScene(
  t: TestContext,
  lease: LeasedPostgresDatabase,
  maintenance: MaintenanceOptions = {},
): Scene & { readonly passes: (count: number) => Promise<unknown> } {
  const scene = openScene(t, postgresDatabase(lease), {
    client: {
      queues: { default: quickQueue() },
      maintenance: { reindexerSchedule: (after) => after.add({ milliseconds: 200 }), ...maintenance },
    },
  });
  return {
    ...scene,
    passes: (count) =>
      pollUntil(() => {
        const { events } = scene;
        const ended = [...events.of("maintenance_succeeded"), ...events.of("maintenance_failed")];
        return ended.filter(({ service }) => service === "reindexer").length >= count;
      }),
  };
}

/** Files of indexes by name: a rebuilt one has another. Left-overs among them. */
async function filesOf(lease: LeasedPostgresDatabase): Promise<Record<string, unknown>> {
  const rows = await lease.query(
    `SELECT index.relname, index.relfilenode FROM pg_class AS index JOIN pg_index ON indexrelid = index.oid
     WHERE indrelid = 'river_job'::regclass ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ relname, relfilenode }) => [relname, relfilenode]));
}

async function reindexing(lease: LeasedPostgresDatabase): Promise<boolean> {
  const rows = await lease.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'REINDEX%' AND state = 'active'",
  );
  return rows.length > 0;
}

/** A transaction that has written jobs and stays open: a rebuild has to wait for it. */
async function openWriter(lease: LeasedPostgresDatabase): Promise<{ end(): Promise<unknown> }> {
  const writer = await lease.connect();
  await writer.query("BEGIN");
  await writer.query("LOCK TABLE river_job IN ROW EXCLUSIVE MODE");
  return { end: () => writer.query("ROLLBACK") };
}

onPostgres(
  "the reindexer rebuilds every index that exists, but the one that an interrupted rebuild has left half built",
  async (t, lease) => {
    // What a rebuild leaves that could not make its copy unique: an invalid index.
    await lease.query(
      "INSERT INTO river_job (kind, args, max_attempts, queue) SELECT 'a', '{}', 1, 'none' FROM generate_series(1, 2)",
    );
    const writer = await lease.connect();
    await assert.rejects(writer.query("CREATE UNIQUE INDEX CONCURRENTLY river_job_kind_ccnew1 ON river_job (kind)"));
    const invalid = await lease.query("SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid");
    assert.deepEqual(invalid, [{ name: "river_job_kind_ccnew1" }]);
    // A name that only looks like one.
    await lease.query("CREATE INDEX river_job_pkey_ccnewest ON river_job (id)");
    const before = await filesOf(lease);

    let runs = 0;
    const { start, events, logs, passes } = reindexingScene(t, lease, {
      // One run: while another is under way there are copies of indexes.
      reindexerSchedule: (after) => after.add(runs++ === 0 ? { milliseconds: 200 } : { hours: 1 }),
    });
    const run = await start();
    await passes(1);
    const after = await filesOf(lease);
    assert.deepEqual(Object.keys(after), Object.keys(before), "nothing is left over, nothing dropped");
    const rebuilt = Object.keys(after).filter((name) => after[name] !== before[name]);
    const existing = REINDEXER_INDEX_NAMES_DEFAULT.filter((name) => name in before);
    assert.ok(existing.length > 3);
    assert.deepEqual(rebuilt, existing.filter((name) => name !== "river_job_kind").toSorted());
    const [pass] = events.of("maintenance_succeeded").filter(({ service }) => service === "reindexer");
    assert.equal(pass?.count, existing.length - 1);
    const warnings = logs.filter(({ level, attributes }) => level === "warn" && attributes["index"] !== undefined);
    assert.deepEqual(warnings[0]?.attributes["artifacts"], ["river_job_kind_ccnew1"]);

    // Once somebody has dropped it, that index has its turn as well.
    await lease.query("DROP INDEX river_job_kind_ccnew1");
    await run.stop();
    await reindexingScene(t, lease).start();
    await pollUntil(async () => (await filesOf(lease))["river_job_kind"] !== before["river_job_kind"]);
  },
);

onPostgres(
  "an index that cannot be rebuilt in time has failed, the next is tried, and jobs are worked all the while",
  async (t, lease) => {
    const { start, insert, events, logs, passes } = reindexingScene(t, lease, {
      reindexerIndexNames: ["river_job_kind", "river_job_pkey"],
      reindexerTimeout: { milliseconds: 300 },
    });
    await insert();
    const writer = await openWriter(lease);
    const run = await start();
    await pollUntil(() => reindexing(lease));
    await insert(5);
    await events.when("job_completed", 6);
    await passes(1);
    const [failure] = events.of("maintenance_failed");
    assert.ok(failure?.error instanceof DatabaseOperationError);
    assert.equal(failure.service, "reindexer");
    const failed = logs.filter(({ message }) => message === "rebuilding an index failed");
    assert.deepEqual(
      failed.slice(0, 2).map(({ attributes }) => attributes["index"]),
      ["river_job_kind", "river_job_pkey"],
    );
    assert.equal(run.diagnostics.maintenance?.isLeader, true);
    await writer.end();
    // What they have left is for somebody to look at; other services go on.
    await passes(3);
    assert.ok(logs.some(({ attributes }) => attributes["artifacts"] !== undefined));
    await insert();
    await events.when("job_completed", 7);
  },
);

onPostgres(
  "while an index waits to be rebuilt the other services go on: jobs that fall due, stuck ones, old ones",
  async (t, lease) => {
    const often = { milliseconds: 100 };
    const scene = reindexingScene(t, lease, {
      reindexerIndexNames: ["river_job_kind"],
      reindexerTimeout: null,
      jobCleanerInterval: often,
      queueCleanerInterval: often,
      rescuerInterval: often,
      schedulerInterval: often,
    });
    const { start, insert, events, database } = scene;
    const writer = await openWriter(lease);
    await start();
    await pollUntil(() => reindexing(lease));
    const passes = events.of("maintenance_succeeded").length;
    const [id = 0n] = await insert(1, { delay: { milliseconds: 200 } });
    const [stuck, old] = await insertRaw(database, [
      { state: "running", attempt: 1, maxAttempts: 1, attemptedIn: -7_200_000 },
      { state: "completed", finalizedIn: -100_000_000 },
    ]);
    await events.when("job_completed", 1, ({ job }) => job.id === id);
    for (const service of ["scheduler", "rescuer", "job_cleaner", "queue_cleaner"] as const) {
      await pollUntil(() =>
        events
          .of("maintenance_succeeded")
          .slice(passes)
          .some((event) => event.service === service),
      );
    }
    await pollUntil(async () => {
      const rows = await lease.query("SELECT state FROM river_job WHERE id = ANY ($1)", [[stuck, old]]);
      return rows.length === 1 && rows[0]?.["state"] === "discarded";
    });
    assert.equal(await reindexing(lease), true);
    await writer.end();
    await pollUntil(() => events.of("maintenance_succeeded").some(({ service }) => service === "reindexer"));
  },
);

for (const why of ["the client stops", "the term is over"] as const) {
  onPostgres(`a rebuild that is under way when ${why} ends, and what it has left is dropped`, async (t, lease) => {
    let runs = 0;
    const { start, events, logs, client } = reindexingScene(t, lease, {
      // Only the first term has a run.
      reindexerSchedule: (after) => after.add(runs++ === 0 ? { milliseconds: 200 } : { hours: 1 }),
      reindexerIndexNames: ["river_job_kind"],
      reindexerTimeout: null,
      electionInterval: { milliseconds: 200 },
    });
    const before = await filesOf(lease);
    const writer = await openWriter(lease);
    const run = await start();
    await pollUntil(() => reindexing(lease));
    await pollUntil(async () => Object.keys(await filesOf(lease)).includes("river_job_kind_ccnew"));
    const ended: Promise<unknown> = why === "the client stops" ? run.stop() : lease.query("DELETE FROM river_leader");
    await pollUntil(async () => !(await reindexing(lease)));
    await writer.end();
    await withDeadline(ended, why);
    if (why === "the term is over") await events.when("leader_lost");
    await pollUntil(async () => !Object.keys(await filesOf(lease)).includes("river_job_kind_ccnew"));
    assert.deepEqual(Object.keys(await filesOf(lease)), Object.keys(before));
    assert.deepEqual(
      logs.filter(({ message }) => message.startsWith("dropping")),
      [],
    );
    assert.equal(events.of("maintenance_failed").length, 0);
    assert.equal(await client.inspect.leader().then((leader) => leader === null), why === "the client stops");
  });
}

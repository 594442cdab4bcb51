/** How many insert notices a client sends for a queue, whoever in it makes jobs available. */
import assert from "node:assert/strict";
import test from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, leaseSqliteDatabase, ManualClock, pollUntil, waitForEvent } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { Client } from "../../src/client/river-client.ts";
import type { RuntimeDriver } from "../../src/driver/driver.ts";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { Workers } from "../../src/work/workers.ts";
import { clientOnSqlite, manualEnvironment, task } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

/** What the database has been told, by queue, in the order sent. */
type SentNotices = () => Promise<readonly string[]>;

const TITLE = "JS-22 JS-23 a direct, a periodic and a scheduled job of one queue send one notice a cool-down";

test(`${TITLE}, on SQLite`, async (t) => {
  const sql = (await leaseSqliteDatabase(t)).open({ timeout: 5_000 });
  const driver = new SqliteDriver(sql);
  t.after(() => driver.close());
  const select = sql.prepare("SELECT payload FROM river_notification WHERE topic = 'river_insert' ORDER BY id");
  await holdsOn(driver, () => Promise.resolve(select.all().map(({ payload }) => queueOf(String(payload)))));
});

postgresTest(`${TITLE}, on Postgres`, async (t) => {
  const database = await leasePostgresDatabase(t);
  const listener = await database.connect();
  const payloads: string[] = [];
  listener.on("notification", ({ channel, payload }) => {
    if (channel === "public.river_insert") payloads.push(payload ?? "");
  });
  await listener.query('LISTEN "public.river_insert"');
  await listener.query("LISTEN until_here");
  await holdsOn(new PgDriver(database.pool()), async () => {
    // Notices arrive in the order of their commits.
    const here = waitForEvent(
      listener,
      "notification",
      (notice) => (notice as { channel: string }).channel === "until_here",
    );
    await database.query("NOTIFY until_here");
    await here;
    return payloads.map(queueOf);
  });
});

for (const [clients, queues, sent] of [
  [{ milliseconds: 10 }, { minutes: 1 }, 2],
  [{ minutes: 1 }, { milliseconds: 10 }, 1],
] as const) {
  test(`JS-22 the cool-down between notices is the client's, ${JSON.stringify(clients)}, and not the queue's`, async (t) => {
    const clock = new ManualClock();
    const { start, insert, sql } = await clientOnSqlite(t, {
      environment: manualEnvironment(clock),
      client: {
        leaderElectionDisabled: true,
        pollOnly: true,
        queueControlPollInterval: { hours: 1 },
        fetchCooldown: clients,
        queues: { default: { maxWorkers: 1, fetchCooldown: queues, pollInterval: { hours: 1 } } },
      },
    });
    await start();
    await insert(1);
    await clock.advance(1_000);
    await insert(1);
    const [row] = sql.prepare("SELECT count(*) AS n FROM river_notification WHERE topic = 'river_insert'").all();
    assert.equal(row?.["n"], sent);
  });
}

async function holdsOn<Tx>(driver: RuntimeDriver<Tx>, sent: SentNotices): Promise<void> {
  const client = new Client<Tx>(driver, {
    queues: { elsewhere: { maxWorkers: 1, fetchCooldown: { hours: 1 }, pollInterval: { hours: 1 } } },
    // The period of the limiter, whatever the queue sets.
    fetchCooldown: { minutes: 30 },
    workers: new Workers<Tx>().add(task, () => {}),
    logger: false,
    maintenance: { schedulerInterval: { milliseconds: 20 } },
    periodicJobs: [
      periodicJob({ job: task, args: { n: 0 }, every: { hours: 1 }, runOnStart: true, options: { queue: "busy" } }),
    ],
  });
  const due = { scheduledAt: Temporal.Instant.from("2020-01-01T00:00:00Z") };
  await client.insert(task, { n: 1 }, { queue: "busy" });
  await client.insertMany([
    { job: task, args: { n: 2 }, options: { queue: "busy", ...due } },
    { job: task, args: { n: 3 }, options: { queue: "quiet", ...due } },
  ]);
  await using run = await client.start();
  await pollUntil(async () => {
    const { jobs } = await client.jobs.list({ states: ["available"] });
    return jobs.length === 4;
  });
  assert.deepEqual(await sent(), ["busy", "quiet"]);
  assert.equal(run.state, "running");
  await client.insert(task, { n: 4 }, { queue: "quiet" });
  assert.deepEqual(await sent(), ["busy", "quiet"]);
}

function queueOf(payload: string): string {
  return (JSON.parse(payload) as { queue: string }).queue;
}

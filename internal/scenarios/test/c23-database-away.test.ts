/** A database that is absent, killed, read-only, or cannot be reached: clients wait, and go on by themselves. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { failOnLeaks, pollUntil, scaled, withDeadline } from "@riverqueue/internal-test-kit";
import { freePort } from "@riverqueue/internal-test-kit/free-port";
import type { PoolConfig } from "pg";
import { isRetryableError, type RunHandle } from "riverqueue";
import { postgresDatabase, type PostgresSource } from "../src/database.ts";
import { Resolver } from "../src/outage.ts";
import { ownServerTest } from "../src/own-server.ts";
import { type LogEntry, openScene, quickQueue, type Scene } from "../src/scene.ts";

failOnLeaks();

const RUNNING = 8;
const MAINTENANCE = { electionInterval: { milliseconds: 250 }, schedulerInterval: { milliseconds: 250 } };

interface Busy extends Scene {
  readonly run: RunHandle;
  readonly ids: readonly bigint[];
  /** Lets the running handlers end. */
  readonly finish: () => void;
}

/** A leading client with all its workers in handlers that wait for {@link Busy.finish}; more jobs wait behind them. */
async function busyClient(t: TestContext, source: PostgresSource, pool: PoolConfig = {}): Promise<Busy> {
  const end = Promise.withResolvers<void>();
  const scene = openScene(t, postgresDatabase(source, pool), {
    client: {
      queues: { default: quickQueue(RUNNING) },
      maintenance: MAINTENANCE,
      queueControlPollInterval: { milliseconds: 100 },
    },
    handler: async ({ job }) => {
      if (Number(job.args["n"]) <= RUNNING) await withDeadline(end.promise, "the word to finish");
    },
  });
  const ids = await scene.insert(RUNNING + 4);
  const run = await scene.start();
  await scene.events.when("job_started", RUNNING);
  await scene.events.when("leader_acquired");
  return { ...scene, run, ids, finish: end.resolve };
}

/** Everything has one recorded end, no handler ran twice, the client leads, and it takes new jobs. */
async function assertRecovered({ client, run, events, states, calls, insert, ids, metrics }: Busy): Promise<void> {
  await events.when("job_completed", ids.length);
  assert.deepEqual(await states(), { completed: ids.length });
  assert.equal(calls.length, ids.length);
  assert.deepEqual(new Set(calls).size, ids.length);
  const { jobs } = await client.jobs.list({ ids });
  assert.deepEqual(new Set(jobs.map(({ attempt, errors }) => `${attempt} ${errors.length}`)), new Set(["1 0"]));
  assert.ok(!metrics.some(({ name }) => name === "job_completion_dropped"));
  await pollUntil(() => run.diagnostics.maintenance?.isLeader);
  const leader = await client.inspect.leader();
  assert.equal(leader?.leaderId, client.clientId);
  await insert();
  await events.when("job_completed", ids.length + 1);
  assert.equal(run.state, "running");
  await run.stop();
  await run.completed;
  assert.deepEqual(await states(), { completed: ids.length + 1 });
}

/** All that was logged is that something is tried again, without a word of what was to be written. */
function assertTransient({ complaints }: Scene): void {
  assert.notEqual(complaints().length, 0);
  for (const { level, message, attributes } of complaints()) {
    assert.equal(level, "warn", message);
    assert.ok(isRetryableError(attributes["error"]), message);
  }
}

ownServerTest("C23 (a) a start against a closed port is refused, and may be tried again", async (t, server) => {
  const closed = await freePort();
  const { port } = new URL(server.url);
  const config = { host: "127.0.0.1", user: "postgres", database: "postgres", port: closed };
  const pool = server.pool({ ...config, connectionString: undefined });
  const source = { ...server, pool: () => pool };
  const { client, start, insert, events, calls, states } = openScene(t, postgresDatabase(source));
  await assert.rejects(client.start(), (error: Record<string, unknown>) => {
    assert.deepEqual([error["code"], error["retryable"], error["operation"]], ["database", true, "openSession"]);
    assert.doesNotMatch(String(error["message"]), /127\.0\.0\.1|\d{4,}/);
    return true;
  });
  assert.equal(pool.totalCount, 0);
  pool.options.port = Number(port);
  await start();
  await insert();
  await events.when("job_completed");
  assert.deepEqual([calls, await states()], [[1], { completed: 1 }]);
});

ownServerTest(
  "C23 (b) a server that is stopped hard under eight running handlers and started again",
  async (t, server) => {
    const busy = await busyClient(t, server);
    await server.halt("immediate");
    busy.finish();
    // Handlers have ended, and the client has noticed in more than one way that there is nothing to write to.
    await pollUntil(() => busy.run.diagnostics.pendingCompletions === RUNNING);
    const halted = performance.now();
    await pollUntil(() => performance.now() - halted > scaled(20_000) && busy.complaints().length > 3);
    assert.equal(busy.events.of("job_completed").length, 0);
    assert.equal(busy.run.state, "running");
    await assert.rejects(busy.insert(), { code: "database", retryable: true });
    await server.resume();
    await assertRecovered(busy);
    assertTransient(busy);
  },
);

for (const terminated of [false, true]) {
  const title = terminated ? "after a fail-over that ends all sessions" : "under open sessions";
  ownServerTest(`C23 (c) a server that is read-only for a while ${title}`, async (t, server) => {
    const busy = await busyClient(t, server);
    await server.configure("default_transaction_read_only", "on");
    if (terminated) await server.query(END_OTHERS);
    // The leader, at the latest, has met the setting.
    await pollUntil(() => sqlstates(busy).includes("25006"));
    busy.finish();
    const since = performance.now();
    await pollUntil(() => performance.now() - since > scaled(10_000) && busy.complaints().some(isAboutStoring));
    await assert.rejects(busy.insert(), { code: "database", retryable: true });
    assert.equal(busy.events.of("job_completed").length, 0);
    await server.configure("default_transaction_read_only", null);
    await assertRecovered(busy);
    assertTransient(busy);
  });
}

ownServerTest("C23 (d) a name that cannot be resolved for a while", async (t, server) => {
  const resolver = new Resolver();
  const address = new URL(server.url);
  address.hostname = "localhost";
  const busy = await busyClient(t, server, { connectionString: address.href, stream: resolver.socket });
  resolver.working = false;
  await server.query(END_OTHERS);
  busy.finish();
  const since = performance.now();
  await pollUntil(() => performance.now() - since > scaled(5_000) && resolver.failures > 3);
  assert.equal(busy.events.of("job_completed").length, 0);
  resolver.working = true;
  await assertRecovered(busy);
  assertTransient(busy);
});

ownServerTest(
  "C23 (e) a password that is rotated: the client waits until it is given the new one",
  async (t, server) => {
    await server.query("CREATE ROLE worker LOGIN SUPERUSER PASSWORD 'first'");
    writeFileSync(
      join(server.folder, "data", "pg_hba.conf"),
      "host all worker 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n",
    );
    await server.query("SELECT pg_reload_conf()");
    let password = "first";
    let asked = 0;
    const config: PoolConfig = {
      connectionString: undefined,
      host: "127.0.0.1",
      port: Number(new URL(server.url).port),
      database: "postgres",
      user: "worker",
      password: () => {
        asked++;
        return password;
      },
    };
    const busy = await busyClient(t, server, config);
    await server.query("ALTER ROLE worker PASSWORD 'second'");
    await server.query(END_OTHERS);
    asked = 0;
    // Jobs that run meanwhile end once the new password is there: a wrong one is no failure that passes by itself.
    await pollUntil(() => asked > 3);
    password = "second";
    busy.finish();
    await assertRecovered(busy);
    assert.ok(sqlstates(busy).includes("28P01"));
    assert.doesNotMatch(
      JSON.stringify(busy.logs, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)),
      /first|second/,
    );
  },
);

const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

function isAboutStoring({ message }: LogEntry): boolean {
  return message.startsWith("storing completions failed");
}

/** The SQLSTATEs of all errors that were logged. */
function sqlstates({ logs }: Scene): unknown[] {
  return logs.map(
    ({ attributes }) => (attributes["error"] as { details?: { sqlstate?: unknown } } | undefined)?.details?.sqlstate,
  );
}

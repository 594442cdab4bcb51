/** A database that is absent, killed, read-only, or cannot be reached: clients wait, and go on by themselves. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { failOnLeaks, pollUntil, scaled, withDeadline } from "@riverqueue/internal-test-kit";
import { type Authority, type Certificate, createAuthority } from "@riverqueue/internal-test-kit/certificates";
import { freePort } from "@riverqueue/internal-test-kit/free-port";
import { isServed } from "@riverqueue/internal-test-kit/served-certificate";
import { writeServerFile } from "@riverqueue/internal-test-kit/server-file";
import type { PoolConfig } from "pg";
import { isRetryableError, type RunHandle } from "riverqueue";
import { postgresDatabase, type PostgresSource } from "../src/database.ts";
import { Resolver } from "../src/outage.ts";
import { type OwnServer, ownServerTest } from "../src/own-server.ts";
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
  "C23 (e) a password that is rotated: the ends of jobs wait until the client is given the new one",
  async (t, server) => {
    await loginBy(server, "host", "scram-sha-256");
    let password = "wrong";
    const config = { ...workerAt(server), password: () => password };
    const refused = openScene(t, postgresDatabase(server, config));
    await assert.rejects(refused.client.start(), (error: Record<string, unknown>) => {
      assert.deepEqual([error["code"], error["retryable"], error["operation"]], ["database", true, "openSession"]);
      assert.deepEqual(error["details"], { reason: "authentication", rowCaused: false, sqlstate: "28P01" });
      return true;
    });
    password = "first";
    const busy = await busyClient(t, server, config);
    await server.query("ALTER ROLE worker PASSWORD 'second'");
    await server.query(END_OTHERS);
    await assertEndsWait(busy);
    await assertRequeued(busy);
    assert.ok(sqlstates(busy).includes("28P01"));
    password = "second";
    await assertRecovered(busy);
    assertTransient(busy);
    assert.doesNotMatch(
      JSON.stringify(busy.logs, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)),
      /first|second/,
    );
  },
);

ownServerTest(
  "C23 (e) a server's certificate that is rotated, until the client trusts the new one",
  async (t, server) => {
    const [before, after] = [createAuthority("before"), createAuthority("after")];
    await loginBy(server, "hostssl", "trust");
    await serveTls(server, before.issue("server"), before);
    let { cert: ca } = before;
    const ssl = {
      get ca() {
        return ca;
      },
    };
    const busy = await busyClient(t, server, { ...workerAt(server), ssl });
    await serveTls(server, after.issue("server"), before);
    await server.query(END_OTHERS);
    await assertEndsWait(busy);
    ca = after.cert;
    await assertRecovered(busy);
    assertTransient(busy);
  },
);

ownServerTest("C23 (e) a client's certificate that is rotated, until it is given the new one", async (t, server) => {
  const [before, after] = [createAuthority("before"), createAuthority("after")];
  await loginBy(server, "hostssl", "cert");
  await serveTls(server, before.issue("server"), before);
  let own = before.issue("worker");
  const ssl = {
    ca: before.cert,
    get cert() {
      return own.cert;
    },
    get key() {
      return own.key;
    },
  };
  const busy = await busyClient(t, server, { ...workerAt(server), ssl });
  await serveTls(server, before.issue("server"), after);
  await server.query(END_OTHERS);
  await assertEndsWait(busy);
  // The server trusts it, and does not know whom it names.
  own = after.issue("nobody");
  await pollUntil(() => sqlstates(busy).includes("28000"));
  own = after.issue("worker");
  await assertRecovered(busy);
  assertTransient(busy);
});

/** Lets the role `worker` in by `method` only. */
async function loginBy(server: OwnServer, connection: "host" | "hostssl", method: string): Promise<void> {
  await server.query("CREATE ROLE worker LOGIN SUPERUSER PASSWORD 'first'");
  writeFileSync(
    join(server.folder, "data", "pg_hba.conf"),
    `${connection} all worker 127.0.0.1/32 ${method}\nhost all postgres 127.0.0.1/32 trust\n`,
  );
  await server.query("SELECT pg_reload_conf()");
  // Whoever has neither the password nor TLS comes in until the server has read the file.
  const stranger = { ...workerAt(server), password: "none" };
  await pollUntil(() =>
    server.connect(stranger).then(
      () => false,
      () => true,
    ),
  );
}

function workerAt({ url }: OwnServer): PoolConfig {
  const port = Number(new URL(url).port);
  return { connectionString: undefined, host: "127.0.0.1", port, database: "postgres", user: "worker" };
}

/** From now on the server shows this certificate to new connections, and takes those of clients from `authority`. */
async function serveTls(server: OwnServer, { key, cert }: Certificate, authority: Authority): Promise<void> {
  const folder = join(server.folder, "data");
  writeServerFile(folder, "server.key", key);
  writeServerFile(folder, "server.crt", cert);
  writeServerFile(folder, "clients.crt", authority.cert);
  await server.configure("ssl_ca_file", "clients.crt");
  await server.configure("ssl", "on");
  await pollUntil(() => isServed(Number(new URL(server.url).port), cert));
}

/** Handlers end while the server lets nobody in, and what is to be written of them waits. */
async function assertEndsWait({ complaints, events, finish, run }: Busy): Promise<void> {
  finish();
  await pollUntil(() => complaints().some(isAboutStoring));
  assert.equal(run.diagnostics.pendingCompletions, RUNNING);
  assert.equal(events.of("job_completed").length, 0);
}

/** All tries have been used up, and nothing was dropped. */
async function assertRequeued({ metrics, run }: Busy): Promise<void> {
  const count = (name: string): number => metrics.filter((metric) => metric.name === name).length;
  await pollUntil(() => count("job_completion_requeued") + count("job_completion_dropped") > 0);
  assert.equal(count("job_completion_dropped"), 0);
  assert.equal(run.diagnostics.pendingCompletions, RUNNING);
}

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

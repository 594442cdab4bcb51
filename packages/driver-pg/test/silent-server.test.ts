/** A server that takes connections and then says nothing: a start gives it 30 seconds, and not for ever. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest as test } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { PgDriver } from "@riverqueue/driver-pg";
import { Client, defineJob, Workers } from "riverqueue";
import { shortenTimers } from "./fixture/shorten-timers.ts";

failOnLeaks();

const workers = new Workers().add(defineJob({ kind: "plain" }), () => {});

for (const [question, saying, prepare] of [
  ["the handshake", "database", true],
  ["which process it is", "backend_start", true],
  ["whether the tables are there", "to_regclass", true],
  ["whether a pooler shares its sessions", "SELECT pg_backend_pid()::text", false],
] as const) {
  test(`a start is given up when the server leaves it without an answer for 30 seconds: ${question}`, async (t) => {
    const lease = await leasePostgresDatabase(t);
    const proxy = await startPostgresProxy(t, lease.url);
    const pool = lease.pool({ connectionString: proxy.url });
    const queues = { default: { maxWorkers: 1 } };
    const client = new Client(new PgDriver(pool, { prepare }), { queues, workers, logger: false });
    const answer = proxy.delayAnswers(saying);
    shortenTimers(t, { 30_000: 200, 5_000: 100 });
    const late = { code: "database", retryable: true, message: /took longer than 30000 ms/ };
    await withDeadline(assert.rejects(client.start(), late), "the refusal", { deadlineMs: 20_000 });
    answer();
    await pollUntil(() => pool.totalCount === pool.idleCount);
    const run = await client.start();
    await run.stop();
    assert.equal(pool.totalCount, pool.idleCount);
  });
}

/** How leadership passes on between clients on Postgres: by notices, by request, and after notices were missed. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import type { LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import type { ClientOptions } from "riverqueue";
import { onPostgres, postgresDatabase } from "../src/database.ts";
import { openScene, quickQueue } from "../src/scene.ts";

failOnLeaks();

/** No bid, renewal or control poll comes by itself in the time of a test. */
const UNHURRIED: ClientOptions = {
  queues: { default: { ...quickQueue(), pollInterval: { hours: 1 } } },
  queueControlPollInterval: { hours: 1 },
  maintenance: { electionInterval: { hours: 1 } },
};

async function leaderOf(lease: LeasedPostgresDatabase): Promise<unknown> {
  const rows = await lease.query("SELECT leader_id, expires_at - elected_at AS lasts FROM river_leader");
  return rows[0]?.["leader_id"] ?? null;
}

onPostgres(
  "JS-09 a stopping leader resigns before its jobs have ended, and the notice makes a follower lead at once",
  async (t, lease) => {
    const finish = Promise.withResolvers<void>();
    const first = openScene(t, postgresDatabase(lease), {
      client: { ...UNHURRIED, clientId: "first" },
      handler: () => finish.promise,
    });
    const second = openScene(t, postgresDatabase(lease), {
      client: { ...UNHURRIED, clientId: "second", queues: { elsewhere: { maxWorkers: 1 } } },
    });
    const run = await first.start();
    await first.events.when("leader_acquired");
    await second.start();
    await first.insert();
    await first.events.when("job_started");
    const stop = run.stop();
    await second.events.when("leader_acquired");
    assert.deepEqual([run.state, first.events.of("leader_lost").length], ["stopping", 1]);
    assert.equal(await leaderOf(lease), "second");
    finish.resolve();
    await stop;
    assert.equal(first.events.of("leader_acquired").length, 1, "who stops never bids again");
    assert.equal(await leaderOf(lease), "second");
  },
);

onPostgres("a request to resign, sent by any program, ends the term of the leader only", async (t, lease) => {
  const first = openScene(t, postgresDatabase(lease), { client: { ...UNHURRIED, clientId: "first" } });
  const second = openScene(t, postgresDatabase(lease), { client: { ...UNHURRIED, clientId: "second" } });
  await first.start();
  await first.events.when("leader_acquired");
  await second.start();
  await lease.query(`SELECT pg_notify('public.river_leadership', '{"action":"request_resign","leader_id":""}')`);
  await first.events.when("leader_lost");
  await second.events.when("leader_acquired");
  assert.equal(await leaderOf(lease), "second");
  // What means nothing, or names the receiver itself, ends nothing.
  await lease.query(`SELECT pg_notify('public.river_leadership', payload) FROM unnest($1::text[]) AS payload`, [
    ["nonsense", '{"action":"dance"}', '{"leader_id" : "second", "action" : "resigned"}'],
  ]);
  await lease.query(`SELECT pg_notify('public.river_control', '{"action":"pause","queue":"default"}')`);
  await second.client.queues.pause("default");
  await second.events.when("queue_paused");
  assert.equal(second.events.of("leader_lost").length, 0);
});

onPostgres(
  "a follower that could not hear of a resignation bids as soon as its notification connection is back",
  async (t, lease) => {
    const proxy = await startPostgresProxy(t, lease.url);
    const first = openScene(t, postgresDatabase(lease), { client: { ...UNHURRIED, clientId: "first" } });
    const second = openScene(t, postgresDatabase(lease, { connectionString: proxy.url }), {
      client: { ...UNHURRIED, clientId: "second" },
    });
    const run = await first.start();
    await first.events.when("leader_acquired");
    await second.start();
    proxy.accept(false);
    proxy.cut("LISTEN");
    await pollUntil(() => second.complaints().length > 0);
    await run.stop();
    assert.equal(await leaderOf(lease), null);
    assert.equal(second.events.of("leader_acquired").length, 0);
    proxy.accept(true);
    await second.events.when("leader_acquired");
    assert.equal(await leaderOf(lease), "second");
  },
);

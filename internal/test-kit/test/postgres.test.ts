/** The Postgres launcher, leases and the proxy. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { failOnLeaks, pollUntil, spawnNode } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { findPostgresBinaries } from "@riverqueue/internal-test-kit/postgres-binaries";
import { startPostgresServer } from "@riverqueue/internal-test-kit/postgres-server";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { Client } from "pg";
import test from "node:test";

failOnLeaks();

const skip = findPostgresBinaries() === null && "neither npm's nor Debian's Postgres programs are installed";

test("a server dies with the process that started it, and leaves no folder", { skip }, async (t) => {
  const child = spawnNode(t, new URL("testdata/start-postgres.ts", import.meta.url));
  const { url, folder } = await child.next<{ readonly url: string; readonly folder: string }>();
  const client = new Client({ connectionString: url });
  await client.connect();
  const lost = new Promise<void>((resolve) => {
    client.on("error", () => resolve());
    client.on("end", () => resolve());
  });
  assert.ok(existsSync(folder));
  await child.kill("SIGKILL");
  await lost;
  await pollUntil(() => !existsSync(folder));
});

test("a server can be restarted on its port with its data", { skip }, async (t) => {
  const server = await startPostgresServer({ max_connections: "20" });
  t.after(() => server.stop());
  const ask = async (text: string): Promise<unknown> => {
    const client = new Client({ connectionString: server.url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows[0];
    } finally {
      await client.end();
    }
  };
  await ask("CREATE TABLE kept AS SELECT 5 AS n");
  await server.restart("fast");
  assert.deepEqual(await ask("SELECT n FROM kept"), { n: 5 });
  await server.restart("immediate");
  assert.deepEqual(await ask("SHOW max_connections"), { max_connections: "20" });
});

postgresTest("each lease is a migrated database of its own", async (t) => {
  const [a, b] = [await leasePostgresDatabase(t), await leasePostgresDatabase(t)];
  await a.query("INSERT INTO river_job (kind, args) VALUES ('k', '{}')");
  assert.deepEqual(await a.query("SELECT count(*)::int AS n FROM river_job"), [{ n: 1 }]);
  assert.deepEqual(await b.query("SELECT count(*)::int AS n FROM river_job"), [{ n: 0 }]);
  assert.notEqual(a.name, b.name);
});

postgresTest("a proxy cuts, refuses, and lets connections go silent", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const client = await lease.connect({ connectionString: proxy.url });
  assert.equal(proxy.open, 1);
  proxy.accept(false);
  await assert.rejects(lease.connect({ connectionString: proxy.url }));
  proxy.stall();
  const silent = client.query("SELECT 1").then(
    () => "answered",
    () => "cut",
  );
  await lease.query("SELECT 1");
  proxy.cut();
  assert.equal(await silent, "cut");
});

postgresTest("a proxy forgets no connection whose client says goodbye in the moment of the cut", async (t) => {
  const lease = await leasePostgresDatabase(t);
  const proxy = await startPostgresProxy(t, lease.url);
  const witness = createServer((socket) => socket.resume().once("end", () => proxy.cut()));
  witness.listen(0, "127.0.0.1");
  t.after(() => witness.close());
  await once(witness, "listening");
  const others = openSockets();
  for (let turn = 0; turn < 20; turn++) {
    const ports = [Number(new URL(proxy.url).port), (witness.address() as AddressInfo).port];
    const sockets = ports.map((port) => connect(port, "127.0.0.1").on("error", () => {}));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await pollUntil(() => proxy.open === 1);
    // The server reads both goodbyes in one turn of its loop, first the proxy's and then the witness's.
    for (const socket of sockets) socket.resume().end();
    await pollUntil(() => openSockets() === others);
  }
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
}

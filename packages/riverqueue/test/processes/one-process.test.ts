/** What a client means to the process it runs in. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, leaseSqliteDatabase, spawnNode } from "@riverqueue/internal-test-kit";

failOnLeaks();

const IDLE_CLIENT = new URL("testdata/idle-client.ts", import.meta.url);

test("JS-103 JS-05 a started client keeps its process alive without work, handles no signals, and lets it end once stopped", async (t) => {
  const { path } = await leaseSqliteDatabase(t);
  const child = spawnNode(t, IDLE_CLIENT, [path]);
  assert.deepEqual(await child.next(), { started: true, signals: [] });
  assert.deepEqual(await child.next(), { alive: true });
  child.send("stop");
  assert.deepEqual(await child.next(), { ended: "stopped" });
  assert.deepEqual(await child.exit(), { code: 0, signal: null });
});

test("JS-03 a failure that nobody watches for is an unhandled rejection of the process", async (t) => {
  const { path } = await leaseSqliteDatabase(t);
  const child = spawnNode(t, IDLE_CLIENT, [path]);
  await child.next();
  child.send("fail");
  assert.deepEqual(await child.exit(), { code: 1, signal: null });
  assert.match(child.log, /broken on purpose/);
});

test("JS-05 a signal ends the process of a running client as it would without one", async (t) => {
  const { path } = await leaseSqliteDatabase(t);
  const child = spawnNode(t, IDLE_CLIENT, [path]);
  await child.next();
  assert.deepEqual(await child.kill("SIGTERM"), { code: null, signal: "SIGTERM" });
});

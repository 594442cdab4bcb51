/** Several processes on one SQLite file: nothing is lost, doubled or answered wrongly. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  failOnLeaks,
  type LeasedSqliteDatabase,
  leaseSqliteDatabase,
  pollUntil,
  type SpawnedNode,
  spawnNode,
} from "@riverqueue/internal-test-kit";

failOnLeaks();

const SCRIPT = new URL("./testdata/client-process.ts", import.meta.url);
const DEADLINE = { deadlineMs: 120_000 };

interface UniqueAnswer {
  readonly counts: { readonly inserted: number; readonly duplicate: number };
  readonly ids: Readonly<Record<string, string>>;
}
interface StopAnswer {
  readonly calls: readonly string[];
}

async function fourClients(t: TestContext, database: LeasedSqliteDatabase): Promise<readonly SpawnedNode[]> {
  const children = Array.from({ length: 4 }, () => spawnNode(t, SCRIPT, [database.path]));
  await Promise.all(children.map((child) => child.next((message) => message === "ready")));
  return children;
}

function answers<T>(children: readonly SpawnedNode[], order: unknown): Promise<T[]> {
  for (const child of children) child.send(order);
  return Promise.all(children.map((child) => child.next<T>(() => true, DEADLINE)));
}

test("four processes insert 1,000 jobs each of 100 unique keys: 100 rows, and every answer is true", async (t) => {
  const database = await leaseSqliteDatabase(t);
  const children = await fourClients(t, database);
  const given = await answers<UniqueAnswer>(children, { insertUnique: { times: 1_000, keys: 100 } });
  for (const child of children) child.endInput();
  for (const child of children) assert.deepEqual(await child.exit(), { code: 0, signal: null }, child.log);

  const rows = database.open().prepare("SELECT id FROM river_job ORDER BY id").all();
  assert.equal(rows.length, 100);
  assert.equal(sum(given.map(({ counts }) => counts.inserted)), 100);
  assert.equal(sum(given.map(({ counts }) => counts.duplicate)), 3_900);
  for (const { ids } of given) assert.deepEqual(ids, given[0]?.ids, "everybody was told the same holders");
  assert.deepEqual(
    Object.values(given[0]?.ids ?? {}).toSorted((a, b) => Number(a) - Number(b)),
    rows.map(({ id }) => String(id)),
  );
});

test("four processes work 20,000 jobs that they insert meanwhile: each once, and none is left running", async (t) => {
  const database = await leaseSqliteDatabase(t);
  const sql = database.open({ timeout: 10_000 });
  const children = await fourClients(t, database);
  assert.deepEqual(await answers(children, "work"), ["working", "working", "working", "working"]);
  await answers(children, { insert: 5_000 });
  const stopped = await answers<StopAnswer>(children, "stop");
  for (const child of children) assert.deepEqual(await child.exit(), { code: 0, signal: null }, child.log);
  assert.equal(count(sql, "state = 'running'"), 0, "a graceful stop leaves nothing running");

  // What was not worked before the stop is worked by one more process.
  const last = spawnNode(t, SCRIPT, [database.path]);
  await last.next((message) => message === "ready");
  await answers([last], "work");
  await pollUntil(() => count(sql, "state <> 'completed'") === 0, DEADLINE);
  stopped.push(...(await answers<StopAnswer>([last], "stop")));

  const calls = stopped.flatMap((answer) => answer.calls);
  assert.equal(count(sql, "state = 'completed' AND attempt = 1"), 20_000);
  assert.equal(calls.length, 20_000);
  assert.equal(new Set(calls).size, calls.length, "no job was worked twice");
});

function count(sql: ReturnType<LeasedSqliteDatabase["open"]>, where: string): number {
  return Number(sql.prepare(`SELECT count(*) AS n FROM river_job WHERE ${where}`).get()?.["n"]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

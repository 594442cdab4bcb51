/** Statements of extension lines, in the database's own dialect. */
import assert from "node:assert/strict";
import type { ExtensionStatement } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { databaseError } from "./database-error.ts";
import { only } from "./only.ts";
import type { Subject } from "./subject.ts";

export function extensionTests(test: ConformanceTest): void {
  test("extension statements run in order, rows by column name, with the number of changes", runsInOrder);
  test("values come out as they went in", keepsValues);
  test("extension statements are one unit: what came before a failure is undone", isAtomic);
  test("extension statements run in the application's transaction and in River's", runsInScopes);
  test("a single statement is sent without a transaction around it", runsAlone);
  test("extension statements that are to be prepared run like any other, again and again", runsPrepared);
  test("extension statements run on every lane", runsOnLanes);
  test("an extension statement that fails alone has changed nothing, and the next one runs", failsAlone);
  test("no statements have no results", runsNothing);
}

function statement(text: string, ...values: ExtensionStatement["values"]): ExtensionStatement {
  return { text, values };
}

function placeholders(subject: Subject, count: number): string {
  return Array.from({ length: count }, (_, index) => subject.raw.placeholder(index + 1)).join(", ");
}

/** A table with one column of each type that values may have. */
async function createTable(subject: Subject): Promise<string> {
  const table = subject.extension.tableName('fle"et');
  await subject.extension.run([
    statement(`CREATE TABLE ${table} (n integer, big bigint, t text, b ${subject.raw.bytesType})`),
  ]);
  return table;
}

async function runsInOrder(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  const results = await subject.extension.run([
    statement(`INSERT INTO ${table} (n, t) VALUES (${placeholders(subject, 2)}), (2, 'b')`, 1, "a"),
    statement(`UPDATE ${table} SET t = ${subject.raw.placeholder(1)} WHERE n > 0`, "x"),
    statement(`DELETE FROM ${table} WHERE n = 2`),
    statement(`SELECT n, t AS "as Is" FROM ${table}`),
  ]);
  assert.deepEqual(
    results.slice(0, 3).map(({ changes }) => changes),
    [2, 2, 1],
  );
  assert.deepEqual(
    results.map(({ rows }) => rows),
    [[], [], [], [{ n: 1, "as Is": "x" }]],
  );
}

async function keepsValues(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  const rows = [
    [1, 9_007_199_254_740_993n, "é😀 'quoted' \"\\", new Uint8Array([0, 255, 92, 39])],
    [-2_147_483_648, -9_223_372_036_854_775_808n, "", new Uint8Array()],
    [0, 5n, '{"a":1}', null],
    [null, null, null, null],
  ] as const;
  const inserts = rows.map((row) => statement(`INSERT INTO ${table} VALUES (${placeholders(subject, 4)})`, ...row));
  const results = await subject.extension.run([...inserts, statement(`SELECT * FROM ${table}`)]);
  assert.deepEqual(
    results.at(-1)?.rows.map(({ n, big, t, b }) => [n, big, t, b instanceof Uint8Array ? [...b] : b]),
    // Integers are numbers where those are exact.
    rows.map(([n, big, t, b]) => [n, big === 5n ? 5 : big, t, b === null ? null : [...b]]),
  );
}

async function isAtomic(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  await subject.extension.run([statement(`INSERT INTO ${table} (n) VALUES (1), (2)`)]);
  const failing = subject.extension.run([
    statement(`DELETE FROM ${table}`),
    statement(`INSERT INTO ${table} (t) VALUES (${placeholders(subject, 1)})`, "hush"),
    statement("SELECT * FROM none"),
  ]);
  const expected = { operation: "extension.run", retryable: false, rowCaused: false, secret: "hush" };
  await assert.rejects(failing, databaseError(subject, expected));
  assert.equal(await countRows(subject, table), 2);
}

async function countRows(subject: Subject, table: string): Promise<number> {
  const result = only(await subject.extension.run([statement(`SELECT n FROM ${table}`)]));
  return result.rows.length;
}

async function runsInScopes(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  const insertion = [statement(`INSERT INTO ${table} (n) VALUES (1)`)];
  for (const end of ["rollback", "commit"] as const) {
    const transaction = await subject.begin();
    await subject.extension.run(insertion, { scope: transaction.scope });
    await transaction[end]();
  }
  assert.equal(await countRows(subject, table), 1);
  await subject.driver.transaction((scope) => subject.extension.run(insertion, { scope }), { durability: "default" });
  assert.equal(await countRows(subject, table), 2);
}

async function runsAlone(subject: Subject): Promise<void> {
  // Neither database runs it inside a transaction.
  const vacuum = statement("VACUUM");
  await subject.extension.run([vacuum]);
  await assert.rejects(
    subject.extension.run([statement("SELECT 1"), vacuum]),
    databaseError(subject, { operation: "extension.run", retryable: false, rowCaused: false }),
  );
}

async function runsPrepared(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  const add = (n: number): ExtensionStatement => ({
    ...statement(`INSERT INTO ${table} (n, t) VALUES (${placeholders(subject, 2)})`, n, `${n}`),
    prepare: true,
  });
  const read = { ...statement(`SELECT n, t FROM ${table} ORDER BY n`), prepare: true };
  // Databases plan anew for the first runs, and keep a plan after some.
  for (const n of [1, 2, 3, 4, 5, 6, 7]) {
    const [added, found] = await subject.extension.run([add(n), read]);
    assert.equal(added?.changes, 1);
    assert.deepEqual(found?.rows.at(-1), { n, t: `${n}` });
    assert.equal(only(await subject.extension.run([read])).rows.length, n);
  }
  const transaction = await subject.begin();
  await subject.extension.run([add(8)], { scope: transaction.scope });
  await transaction.rollback();
  await subject.driver.transaction((scope) => subject.extension.run([add(9)], { scope }), { durability: "default" });
  await assert.rejects(subject.extension.run([add(10), { ...statement("SELECT * FROM none"), prepare: true }]));
  assert.deepEqual(
    only(await subject.extension.run([read])).rows.map(({ n }) => n),
    [1, 2, 3, 4, 5, 6, 7, 9],
  );
}

async function runsOnLanes(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  for (const lane of ["background", "work"] as const) {
    const insertion = statement(`INSERT INTO ${table} (t) VALUES (${placeholders(subject, 1)})`, lane);
    await subject.extension.run([insertion], { lane });
    await subject.extension.run([insertion, insertion], { lane });
  }
  const found = only(await subject.extension.run([statement(`SELECT DISTINCT t FROM ${table} ORDER BY t`)]));
  assert.deepEqual(
    found.rows.map(({ t }) => t),
    ["background", "work"],
  );
  assert.equal(await countRows(subject, table), 6);
}

async function failsAlone(subject: Subject): Promise<void> {
  const table = await createTable(subject);
  await subject.extension.run([statement(`CREATE UNIQUE INDEX once ON ${table} (n)`)]);
  const insertion = statement(`INSERT INTO ${table} (n) VALUES (1), (${placeholders(subject, 1)})`, 1);
  const expected = { operation: "extension.run", retryable: false, rowCaused: true };
  await assert.rejects(subject.extension.run([insertion]), databaseError(subject, expected));
  assert.equal(await countRows(subject, table), 0);
}

async function runsNothing(subject: Subject): Promise<void> {
  assert.deepEqual(await subject.extension.run([]), []);
}

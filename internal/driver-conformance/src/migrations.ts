/** The connection that migrations are lent. Only a migrator uses it, and the runtime never changes a schema. */
import assert from "node:assert/strict";
import type { ConformanceTest } from "./conformance-test.ts";
import type { Subject } from "./subject.ts";

export function migrationTests(test: ConformanceTest): void {
  test("migrations run several statements on one connection, and read rows by column name", runs);
  test("a migration that fails passes its error on, and the next has a connection again", failsAlone);
  test("migrations know backend and schema", knowsItsPlace);
}

async function runs(subject: Subject): Promise<void> {
  const answer = await subject.driver.migrations.withSession(async (session) => {
    await session.execute("BEGIN; CREATE TABLE own (n integer, t text); INSERT INTO own VALUES (1, 'a')");
    const place = subject.raw.placeholder;
    await session.query(`INSERT INTO own VALUES (${place(1)}, ${place(2)})`, [2, null]);
    await session.execute("COMMIT");
    return session.query(`SELECT n, t FROM own WHERE n >= ${place(1)} ORDER BY n`, [1]);
  });
  assert.deepEqual(
    answer.map((row) => ({ ...row })),
    [
      { n: 1, t: "a" },
      { n: 2, t: null },
    ],
  );
  assert.equal((await subject.raw.query("SELECT n FROM own")).length, 2);
}

async function failsAlone(subject: Subject): Promise<void> {
  const { migrations } = subject.driver;
  await assert.rejects(
    migrations.withSession((session) => session.execute("BEGIN; CREATE TABLE own (n integer); SELECT * FROM none")),
    { code: "database", retryable: false },
  );
  const error = new RangeError("the caller's own");
  await assert.rejects(
    migrations.withSession(() => Promise.reject(error)),
    (thrown) => thrown === error,
  );
  const rows = await migrations.withSession((session) => session.query("SELECT 1 AS one"));
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ one: 1 }],
  );
  await assert.rejects(subject.raw.query("SELECT n FROM own"));
}

async function knowsItsPlace(subject: Subject): Promise<void> {
  const { backend, migrations } = subject.driver;
  assert.equal(migrations.backend, backend);
  assert.equal(migrations.schema, null);
}

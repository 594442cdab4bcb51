/** Texts that not every database can store, in whatever is inserted or recorded. */
import assert from "node:assert/strict";
import test from "node:test";
import type { DatabaseSync } from "node:sqlite";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { InsertOptions } from "../../src/definition/insert-options.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { recordOutput, setMetadata } from "../../src/work/current-work-context.ts";
import { complete } from "../../src/work/outcome.ts";
import type { WorkHandler } from "../../src/work/work-handler.ts";
import { clientOnSqlite, task } from "../testdata/client-on-sqlite.ts";
import { REFUSED_TEXTS } from "./testdata/refused-texts.ts";

failOnLeaks();

/** What is inserted, and where the error says that the text is. */
interface RefusedInsert {
  readonly what: string;
  readonly args?: JsonObject;
  readonly options?: InsertOptions;
  readonly path: string;
  readonly subject: string;
}

function refusedInserts(text: string): readonly RefusedInsert[] {
  const key = JSON.stringify(text);
  return [
    { what: "a value", args: { s: text }, path: "$.s", subject: "args" },
    { what: "a value deep inside", args: { list: [{ s: text }] }, path: "$.list[0].s", subject: "args" },
    { what: "a key", args: { [text]: 1 }, path: `$[${key}]`, subject: "args" },
    { what: "a value of metadata", options: { metadata: { s: text } }, path: "$.s", subject: "metadata" },
    { what: "a key of metadata", options: { metadata: { [text]: 1 } }, path: `$[${key}]`, subject: "metadata" },
    { what: "a tag", options: { tags: ["good", text] }, path: "$", subject: "tags[1]" },
  ];
}

/** Every statement that is prepared or executed on `handle` from now on. */
function statementsOn(handle: DatabaseSync): string[] {
  const statements: string[] = [];
  const prepare = handle.prepare.bind(handle);
  const exec = handle.exec.bind(handle);
  handle.prepare = (text, ...options) => {
    statements.push(text);
    return prepare(text, ...options);
  };
  handle.exec = (text) => {
    statements.push(text);
    exec(text);
  };
  return statements;
}

for (const [name, text, expectation] of REFUSED_TEXTS) {
  test(`C02 ${name} in an insertion is refused before any SQL, and the caller's transaction commits`, async (t) => {
    const { client, sql, events, start, states } = await clientOnSqlite(t);
    sql.exec("CREATE TABLE business (what TEXT)");
    const inserts = refusedInserts(text);
    const statements = statementsOn(sql);
    for (const { what, args = {}, options, path, subject } of inserts) {
      sql.exec("BEGIN IMMEDIATE");
      sql.prepare("INSERT INTO business VALUES (?)").run(what);
      statements.length = 0;
      const calls = [
        () => client.insert(task, args, { ...options, tx: sql }),
        () =>
          client.insertMany(
            [
              { job: task, args: { n: 1 } },
              { job: task, args, ...(options && { options }) },
            ],
            { tx: sql },
          ),
      ];
      for (const call of calls) {
        await assert.rejects(call, (error) => {
          assert.ok(error instanceof JsonValueError, `${what}: ${String(error)}`);
          assert.equal(error.path, path);
          assert.ok(error.message.includes(subject) && error.message.includes(expectation), error.message);
          return true;
        });
      }
      assert.deepEqual(statements, [], what);
      assert.ok(sql.isTransaction);
      sql.exec("COMMIT");
    }
    const business = sql.prepare("SELECT what FROM business").all();
    assert.deepEqual(
      business.map((row) => row["what"]),
      inserts.map(({ what }) => what),
    );
    // What was refused left nothing behind: a good job, inserted in the same way, is the first and only one.
    sql.exec("BEGIN IMMEDIATE");
    statements.length = 0;
    const { job } = await client.insert(task, {}, { tx: sql });
    assert.ok(statements.length > 0);
    sql.exec("COMMIT");
    assert.equal(job.id, 1n);
    await start();
    await events.when("job_completed");
    assert.equal(events.of("job_started").length, 1);
    assert.deepEqual(states(), { completed: 1 });
  });

  test(`C02 ${name} recorded in a handler throws at the call, and the attempt goes on`, async (t) => {
    const refusals: unknown[] = [];
    const note = (call: () => unknown): void => {
      try {
        call();
        assert.fail("not refused");
      } catch (error) {
        refusals.push(error);
      }
    };
    const { start, insert, events, row, sql } = await clientOnSqlite(t, {
      handler: async (context) => {
        note(() => complete({ output: { s: text } }));
        note(() => context.recordOutput({ s: text }));
        note(() => recordOutput([text]));
        note(() => context.setMetadata("key", { [text]: 1 }));
        note(() => setMetadata("key", text));
        note(() => context.setMetadata(text, 1));
        sql.exec("BEGIN IMMEDIATE");
        sql.exec("CREATE TABLE business (n)");
        await assert.rejects(context.completeTx(sql, { output: text }), (error) => refusals.push(error) > 0);
        assert.ok(sql.isTransaction);
        sql.exec("COMMIT");
        return complete({ output: "good" });
      },
    });
    const [id = 0n] = await insert();
    await start();
    const [completed] = await events.when("job_completed");
    const paths = ["$.s", "$.s", "$[0]", `$[${JSON.stringify(text)}]`, "$", undefined, "$"];
    assert.deepEqual(
      refusals.map((error) => (error instanceof JsonValueError ? error.path : undefined)),
      paths,
    );
    assert.ok(refusals.every((error) => error instanceof ValidationError));
    const { state, metadata, errors } = await row(id);
    assert.equal(
      JSON.stringify({ state, metadata, errors }),
      '{"state":"completed","metadata":{"output":"good"},"errors":[]}',
    );
    assert.equal(completed?.job.metadata["output"], "good");
    assert.equal(sql.prepare("SELECT count(*) AS n FROM business").get()?.["n"], 0);
  });

  test(`C02 ${name} recorded in a handler that lets it escape is an ordinary failure`, async (t) => {
    const first: WorkHandler<typeof task>[] = [
      () => complete({ output: text }),
      ({ setMetadata: set }) => set("key", text),
      ({ recordOutput: record }) => record({ [text]: text }),
      ({ setMetadata: set }) => set(text, 1),
    ];
    let calls = 0;
    const { start, insert, events, states, row } = await clientOnSqlite(t, {
      client: { retryPolicy: (_, now) => now },
      handler: (context) => {
        calls++;
        return context.job.attempt === 1 ? first[Number(context.job.args["n"])]?.(context) : undefined;
      },
    });
    const ids = await insert(first.length);
    await start();
    await events.when("job_completed", first.length);
    assert.deepEqual(states(), { completed: first.length });
    assert.equal(calls, 2 * first.length);
    assert.equal(events.of("job_failed").length, first.length);
    for (const id of ids) {
      const { attempt, errors, metadata } = await row(id);
      assert.deepEqual([attempt, errors.length, Object.keys(metadata)], [2, 1, []]);
      assert.ok(errors[0]?.error.includes(expectation), JSON.stringify(errors));
    }
  });

  test(`C02 ${name} in an update from outside is refused and changes nothing`, async (t) => {
    const { client, insert, row } = await clientOnSqlite(t);
    const [id = 0n] = await insert();
    for (const change of [{ output: text }, { metadata: { s: text } }, { metadata: { [text]: 1 }, output: 1 }]) {
      await assert.rejects(client.jobs.update(id, change), JsonValueError);
    }
    assert.deepEqual(Object.keys((await row(id)).metadata), []);
  });
}

/** Keys that mean something to JavaScript, keys that mean nothing, and values that contain themselves. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { parseJsonObject } from "../../src/json/parse-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { complete } from "../../src/work/outcome.ts";
import { insertRawJobs } from "../maintenance/testdata/insert-jobs.ts";
import { clientOnSqlite, task } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const ARGS = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"}';
const KEYS = ["__proto__", "constructor", "", "toString"];

function assertUnpolluted(): void {
  assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
  assert.equal(({} as { x?: unknown }).x, undefined);
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
}

/** A value that contains itself at `path`. */
function circular(): JsonObject {
  const value: Record<string, JsonValue> = { list: [] };
  (value["list"] as JsonValue[]).push({ self: value });
  return value;
}

test("C04 __proto__, constructor and empty keys of a row written by SQL pass through a handler as data", async (t) => {
  const shapes: string[][] = [];
  const { start, client, events, sql } = await clientOnSqlite(t, {
    handler: ({ job, setMetadata }) => {
      const spread = { ...job.args };
      const assigned = Object.assign({}, job.args);
      shapes.push(Object.keys(job.args), Object.keys(job.rawArgs), Object.keys(spread));
      // A setter of every ordinary object takes this key when it is assigned: the one object is changed, no other.
      assert.equal((assigned as { isAdmin?: unknown }).isAdmin, true);
      assertUnpolluted();
      setMetadata("copy", { ...job.args });
      return complete({ output: spread });
    },
  });
  const [id = 0n] = insertRawJobs(sql, Temporal.Now.instant(), [{ kind: "task", state: "available", args: ARGS }]);
  await start();
  const [completed] = await events.when("job_completed");
  assert.deepEqual(shapes, [KEYS, KEYS, KEYS]);
  assertUnpolluted();
  for (const job of [completed?.job, await client.jobs.get(id)]) {
    assert.equal(job?.state, "completed");
    for (const value of [job.args, job.metadata["output"], job.metadata["copy"]] as JsonObject[]) {
      assert.equal(stringifyJson(value), ARGS);
      assert.deepEqual(Object.keys(value), KEYS);
      assert.equal(Object.getPrototypeOf(value), null);
    }
  }
  const stored = sql.prepare("SELECT json(args) AS args, metadata ->> '$.output' AS output FROM river_job").get();
  assert.equal(stored?.["args"], ARGS);
  assert.equal(stored?.["output"], ARGS);
});

test("C04 the last of repeated keys counts, wherever the row came from", async (t) => {
  const seen: JsonValue[] = [];
  const { start, events, sql } = await clientOnSqlite(t, {
    handler: ({ job }) => {
      seen.push(job.args);
      return complete({ output: job.rawArgs });
    },
  });
  const args = '{"":0,"a":1,"__proto__":1,"":2,"a":9007199254740993,"__proto__":{"isAdmin":true}}';
  insertRawJobs(sql, Temporal.Now.instant(), [{ kind: "task", state: "available", args }]);
  await start();
  const [completed] = await events.when("job_completed");
  const last = '{"":2,"a":9007199254740993,"__proto__":{"isAdmin":true}}';
  assert.deepEqual([...seen, completed?.job.metadata["output"] as JsonValue].map(stringifyJson), [last, last]);
  assertUnpolluted();
});

test("C04 a unique key over __proto__.isAdmin is the one that other languages compute", async (t) => {
  const { client, start, events, states } = await clientOnSqlite(t);
  const args = parseJsonObject(ARGS);
  const options = { unique: { byArgs: ["__proto__.isAdmin"] } };
  const first = await client.insert(task, args, options);
  const hash = createHash("sha256").update('&kind=task&args={"__proto__":{"isAdmin":true}}').digest();
  assert.deepEqual(Buffer.from(first.job.uniqueKey ?? []), hash);
  assert.deepEqual(Object.keys(first.job.args), KEYS);
  const again = await client.insert(task, parseJsonObject('{"__proto__":{"isAdmin":true,"more":1}}'), options);
  assert.deepEqual([again.status, again.job.id], ["duplicate", first.job.id]);
  const other = await client.insert(task, parseJsonObject('{"__proto__":{"isAdmin":false}}'), options);
  assert.equal(other.status, "inserted");
  await start();
  await events.when("job_completed", 2);
  assert.deepEqual(states(), { completed: 2 });
  assertUnpolluted();
});

test("C04 a value that contains itself is refused at insertion with its path, and no row is written", async (t) => {
  const { client, sql, states } = await clientOnSqlite(t);
  const expected = { name: "JsonValueError", path: "$.list[0].self", code: "validation" };
  await assert.rejects(client.insert(task, circular()), expected);
  await assert.rejects(client.insert(task, {}, { metadata: circular() }), expected);
  await assert.rejects(
    client.insertMany([
      { job: task, args: {} },
      { job: task, args: {}, options: { metadata: circular() } },
    ]),
    expected,
  );
  sql.exec("BEGIN IMMEDIATE");
  await assert.rejects(client.insert(task, {}, { metadata: circular(), tx: sql }), expected);
  sql.exec("COMMIT");
  assert.deepEqual(states(), {});
});

test("C04 a value that contains itself, recorded in a handler, is an ordinary failure of the attempt", async (t) => {
  let calls = 0;
  const { start, insert, events, row, states } = await clientOnSqlite(t, {
    client: { retryPolicy: (_, now) => now },
    handler: ({ job, setMetadata, recordOutput }) => {
      calls++;
      setMetadata("kept", job.attempt);
      if (job.attempt > 1) return undefined;
      const shared = { a: 1 };
      recordOutput([shared, shared]);
      if (job.args["n"] === 0) setMetadata("key", circular());
      else if (job.args["n"] === 1) recordOutput(circular());
      else return complete({ output: circular() });
      return undefined;
    },
  });
  const ids = await insert(3);
  await start();
  await events.when("job_completed", 3);
  assert.deepEqual(states(), { completed: 3 });
  assert.equal(calls, 6);
  for (const { error } of events.of("job_failed")) {
    assert.ok(error instanceof JsonValueError);
    assert.equal(error.path, "$.list[0].self");
  }
  for (const id of ids) {
    const { attempt, errors, metadata } = await row(id);
    assert.deepEqual([attempt, errors.length], [2, 1]);
    // What was in order is kept, of the attempt that failed as well.
    assert.equal(metadata["kept"], 2);
    assert.equal(stringifyJson(metadata["output"] ?? null), '[{"a":1},{"a":1}]');
  }
});

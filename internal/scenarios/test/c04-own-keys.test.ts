/** Keys that mean something to JavaScript, keys that mean nothing, and values that contain themselves. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { complete, type JsonObject, type JsonValue, JsonValueError, parseJsonObject, stringifyJson } from "riverqueue";
import { type Database, onBothDatabases } from "../src/database.ts";
import { insertRaw } from "../src/raw-jobs.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

const ARGS = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"}';
const KEYS = ["__proto__", "constructor", "", "toString"];

/** Keys as the database orders them. */
function storedKeys({ backend }: Database): string[] {
  return backend === "sqlite" ? KEYS : ["", "toString", "__proto__", "constructor"];
}

function storedArgs({ backend }: Database): string {
  return backend === "sqlite"
    ? ARGS
    : '{"":1,"toString":"s","__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}';
}

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

onBothDatabases(
  "C04 __proto__, constructor and empty keys of a row written by SQL pass through a handler as data",
  async (t, database) => {
    const keys = storedKeys(database);
    const shapes: string[][] = [];
    const { start, client, events } = openScene(t, database, {
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
    const [id = 0n] = await insertRaw(database, [{ args: ARGS }]);
    await start();
    const [completed] = await events.when("job_completed");
    assert.deepEqual(shapes, [keys, keys, keys]);
    assertUnpolluted();
    for (const job of [completed?.job, await client.jobs.get(id)]) {
      assert.equal(job?.state, "completed");
      for (const value of [job.args, job.metadata["output"], job.metadata["copy"]] as JsonObject[]) {
        assert.equal(stringifyJson(value), storedArgs(database));
        assert.deepEqual(Object.keys(value), keys);
        assert.equal(Object.getPrototypeOf(value), null);
      }
    }
  },
);

onBothDatabases("C04 the last of repeated keys counts, wherever the row came from", async (t, database) => {
  const seen: JsonValue[] = [];
  const { start, events } = openScene(t, database, {
    handler: ({ job }) => {
      seen.push(job.args);
      return complete({ output: job.rawArgs });
    },
  });
  const args = '{"":0,"a":1,"__proto__":1,"":2,"a":9007199254740993,"__proto__":{"isAdmin":true}}';
  await insertRaw(database, [{ args }]);
  await start();
  const [completed] = await events.when("job_completed");
  const last = '{"":2,"a":9007199254740993,"__proto__":{"isAdmin":true}}';
  assert.deepEqual([...seen, completed?.job.metadata["output"] as JsonValue].map(stringifyJson), [last, last]);
  assertUnpolluted();
});

onBothDatabases(
  "C04 a unique key over __proto__.isAdmin is the one that other languages compute",
  async (t, database) => {
    const { client, start, events, states } = openScene(t, database);
    const args = parseJsonObject(ARGS);
    const options = { unique: { byArgs: ["__proto__.isAdmin"] } };
    const first = await client.insert(task, args, options);
    const hash = createHash("sha256").update('&kind=task&args={"__proto__":{"isAdmin":true}}').digest();
    assert.deepEqual(Buffer.from(first.job.uniqueKey ?? []), hash);
    assert.deepEqual(Object.keys(first.job.args), storedKeys(database));
    const again = await client.insert(task, parseJsonObject('{"__proto__":{"isAdmin":true,"more":1}}'), options);
    assert.deepEqual([again.status, again.job.id], ["duplicate", first.job.id]);
    const other = await client.insert(task, parseJsonObject('{"__proto__":{"isAdmin":false}}'), options);
    assert.equal(other.status, "inserted");
    await start();
    await events.when("job_completed", 2);
    assert.deepEqual(await states(), { completed: 2 });
    assertUnpolluted();
  },
);

onBothDatabases(
  "C04 a value that contains itself is refused at insertion with its path, and no row is written",
  async (t, database) => {
    const { client, states } = openScene(t, database);
    await database.query("CREATE TABLE business (n integer)");
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
    const own = await database.begin();
    await own.query("INSERT INTO business VALUES (1)");
    await assert.rejects(client.insert(task, {}, { metadata: circular(), tx: own.tx }), expected);
    await own.commit();
    assert.deepEqual(await states(), {});
    assert.equal((await database.query("SELECT n FROM business")).length, 1);
  },
);

onBothDatabases(
  "C04 a value that contains itself, recorded in a handler, is an ordinary failure of the attempt",
  async (t, database) => {
    const { start, insert, events, row, states, calls } = openScene(t, database, {
      client: { retryPolicy: (_, now) => now },
      handler: ({ job, setMetadata, recordOutput }) => {
        setMetadata("kept", job.attempt);
        if (job.attempt > 1) return undefined;
        const shared = { a: 1 };
        recordOutput([shared, shared]);
        if (job.args["n"] === 1) setMetadata("key", circular());
        else if (job.args["n"] === 2) recordOutput(circular());
        else return complete({ output: circular() });
        return undefined;
      },
    });
    const ids = await insert(3);
    await start();
    await events.when("job_completed", 3);
    assert.deepEqual(await states(), { completed: 3 });
    assert.equal(calls.length, 6);
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
  },
);

import assert from "node:assert/strict";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import type { InsertContext, InsertHooks, InsertMiddleware } from "../../src/insert/insert-context.ts";
import type { InsertResult } from "../../src/insert/insert-result.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { openInserter } from "./testdata/inserter-bench.ts";

const mail = defineJob({ kind: "mail", defaults: { queue: "mail" } });
const resize = defineJob({ kind: "resize" });

test("an insertion without hooks and middleware is one call of the driver and no transaction", async (t) => {
  const { inserter, uses, rows, wakeUps } = await openInserter(t);
  const result = await inserter.insert(mail, { to: "ada" }, { priority: 2 });
  assert.equal(result.status, "inserted");
  assert.equal(result.job.kind, "mail");
  assert.equal(result.job.state, "available");
  assert.equal(result.job.args["to"], "ada");
  assert.deepEqual(
    uses.map(({ verb }) => verb),
    ["insert"],
  );
  assert.deepEqual(rows(), [
    {
      id: Number(result.job.id),
      kind: "mail",
      queue: "mail",
      state: "available",
      priority: 2,
      max_attempts: 25,
      args: '{"to":"ada"}',
    },
  ]);
  assert.deepEqual(wakeUps, [["mail"]]);
});

test("insertMany takes different kinds and answers in their order", async (t) => {
  const { inserter, uses, rows } = await openInserter(t);
  const [first, second, third] = await inserter.insertMany([
    { job: mail, args: { n: 1 } },
    { job: resize, args: { n: 2 }, options: { delay: { seconds: 9 } } },
    { job: mail, args: { n: 3 }, options: { pending: true } },
  ]);
  assert.deepEqual(
    [first, second, third].map(({ job }) => [job.kind, job.args["n"], job.state]),
    [
      ["mail", 1, "available"],
      ["resize", 2, "scheduled"],
      ["mail", 3, "pending"],
    ],
  );
  assert.equal(second.job.scheduledAt.toString(), "2026-01-02T03:04:14.678Z");
  assert.equal(uses.length, 1);
  assert.equal(rows().length, 3);
});

test("an empty list makes no database call", async (t) => {
  const { inserter, uses } = await openInserter(t, { hooks: [{ beforeInsert: () => assert.fail("no insertion") }] });
  assert.deepEqual(await inserter.insertMany([]), []);
  assert.deepEqual(uses, []);
});

test("a job with a taken unique key is reported as duplicate, with the job that holds it", async (t) => {
  const { inserter, rows } = await openInserter(t);
  const unique = { byArgs: ["id"] };
  const first = await inserter.insert(mail, { id: 1, text: "first" }, { unique });
  const second = await inserter.insert(mail, { id: 1, text: "second" }, { unique });
  assert.deepEqual([first.status, second.status], ["inserted", "duplicate"]);
  assert.equal(second.job.id, first.job.id);
  assert.equal(second.job.args["text"], "first");
  assert.equal(rows().length, 1);
});

test("repeats of a unique key within one call are duplicates of the first", async (t) => {
  const { inserter, uses, rows } = await openInserter(t);
  const options = { unique: { byArgs: true } };
  const items = [1, 2, 1, 1].map((id) => ({ job: mail, args: { id }, options }));
  const results = await inserter.insertMany([...items, { job: mail, args: { id: 1 } }]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["inserted", "inserted", "duplicate", "duplicate", "inserted"],
  );
  assert.equal(results[2]?.job.id, results[0]?.job.id);
  assert.equal(results[3]?.job.id, results[0]?.job.id);
  const [use] = uses;
  assert(use?.verb === "insert");
  assert.equal(use.params.jobs.length, 3);
  assert.equal(rows().length, 3);
});

test("C02 bad text is refused before any SQL, and the caller's transaction goes on", async (t) => {
  const { inserter, database, uses, rows } = await openInserter(t);
  database.exec("CREATE TABLE business (id INTEGER)");
  for (const args of [{ s: "a\0b" }, { s: "\ud800" }]) {
    database.exec("BEGIN IMMEDIATE; INSERT INTO business VALUES (1)");
    await assert.rejects(inserter.insert(mail, args, { tx: database }), (error) => {
      assert(error instanceof JsonValueError);
      assert.equal(error.path, "$.s");
      return true;
    });
    await assert.rejects(inserter.insert(mail, { ["k\0"]: 1 }, { tx: database }), { name: "JsonValueError" });
    await assert.rejects(inserter.insert(mail, {}, { tags: ["a\0b"], tx: database }), { name: "JsonValueError" });
    await assert.rejects(inserter.insert(mail, {}, { metadata: args, tx: database }), { name: "JsonValueError" });
    database.exec("COMMIT");
  }
  assert.equal(database.prepare("SELECT count(*) AS n FROM business").get()?.["n"], 2);
  assert.deepEqual(uses, []);
  assert.deepEqual(rows(), []);
});

test("C04 circular metadata is a JSON error with a path, and no row", async (t) => {
  const { inserter, rows } = await openInserter(t);
  const metadata: Record<string, never> = {};
  Object.assign(metadata, { self: metadata });
  await assert.rejects(inserter.insert(mail, {}, { metadata }), { name: "JsonValueError", path: "$.self" });
  assert.deepEqual(rows(), []);
});

test("C04 __proto__, constructor and empty keys survive an insertion as own keys", async (t) => {
  const { inserter } = await openInserter(t);
  const args = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"}');
  const { job } = await inserter.insert(mail, args);
  assert.deepEqual(Object.keys(job.args), ["__proto__", "constructor", "", "toString"]);
  assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
});

test("with { tx } the jobs live and die with the caller's transaction", async (t) => {
  const { inserter, database, rows, wakeUps } = await openInserter(t);
  database.exec("BEGIN IMMEDIATE");
  await inserter.insert(mail, { n: 1 }, { tx: database });
  await inserter.insertMany([{ job: mail, args: { n: 2 } }], { tx: database });
  assert.equal(rows().length, 2);
  database.exec("ROLLBACK");
  assert.deepEqual(rows(), []);
  assert.deepEqual(wakeUps, [], "nothing has been committed");
});

test("notices go out once per queue and cool-down, for available jobs only", async (t) => {
  const { inserter, clock, notices } = await openInserter(t);
  await inserter.insert(resize, {}, { delay: { seconds: 1 } });
  await inserter.insert(resize, {}, { pending: true });
  assert.deepEqual(notices(), []);
  await inserter.insertMany([mail, resize, mail].map((job) => ({ job, args: {} })));
  await inserter.insert(mail, {});
  assert.deepEqual(notices(), ['river_insert {"queue": "mail"}', 'river_insert {"queue": "default"}']);
  await clock.advance(101);
  await inserter.insert(mail, {});
  assert.equal(notices().length, 3);
});

test("middleware surrounds hooks, and all see the resolved, frozen requests", async (t) => {
  const steps: string[] = [];
  const contexts = new Set<InsertContext>();
  const middleware: InsertMiddleware = async (context, next) => {
    contexts.add(context);
    steps.push("middleware");
    const results = await next();
    steps.push("middleware after");
    return results;
  };
  const hooks: InsertHooks = {
    beforeInsert(context) {
      contexts.add(context);
      steps.push("before");
    },
    afterInsert(context, results) {
      contexts.add(context);
      steps.push(`after ${results.map(({ status }) => status).join()}`);
    },
  };
  const { inserter, uses } = await openInserter(t, { middleware: [middleware], hooks: [hooks] });
  await inserter.insert(mail, { a: 1 }, { tags: ["one-tag"], metadata: { m: 1 }, unique: { byQueue: true } });
  assert.deepEqual(steps, ["middleware", "before", "after inserted", "middleware after"]);
  assert.deepEqual(
    uses.map(({ verb }) => verb),
    ["transaction", "insert"],
  );
  assert.equal(contexts.size, 1);
  const [context] = contexts;
  assert.equal(context?.operation, "insert");
  const [request] = context?.requests ?? [];
  assert(request && Object.isFrozen(context) && Object.isFrozen(context?.requests) && Object.isFrozen(request));
  const { definition, args, metadata, scheduledAt, ...rest } = request;
  assert.equal(definition, mail);
  assert.deepEqual([{ ...args }, { ...metadata }], [{ a: 1 }, { m: 1 }]);
  assert.equal(scheduledAt.toString(), "2026-01-02T03:04:05.678Z");
  assert.deepEqual(rest, {
    kind: "mail",
    queue: "mail",
    priority: 1,
    maxAttempts: 25,
    state: "available",
    tags: ["one-tag"],
    unique: true,
  });
});

test("an error in middleware or a hook, also after the write, leaves nothing behind", async (t) => {
  const failure = new Error("mine");
  const fail = (): never => {
    throw failure;
  };
  const late: InsertMiddleware = async (_, next) => {
    await next();
    return fail();
  };
  for (const extension of [
    { middleware: [late] },
    { middleware: [fail] },
    { hooks: [{ beforeInsert: fail }] },
    { hooks: [{ afterInsert: fail }] },
  ]) {
    const { inserter, rows, notices, wakeUps } = await openInserter(t, extension);
    await assert.rejects(inserter.insert(mail, {}), (error) => error === failure);
    await assert.rejects(inserter.insertMany([{ job: mail, args: {} }]), (error) => error === failure);
    assert.deepEqual([rows(), notices(), wakeUps], [[], [], []]);
  }
});

test("with { tx } hooks run in the caller's transaction, which keeps what was written before an error", async (t) => {
  const { inserter, database, uses, rows } = await openInserter(t, {
    hooks: [
      {
        afterInsert() {
          throw new Error("mine");
        },
      },
    ],
  });
  database.exec("BEGIN IMMEDIATE");
  await assert.rejects(inserter.insert(mail, {}, { tx: database }), { message: "mine" });
  database.exec("COMMIT");
  assert.deepEqual(
    uses.map(({ verb }) => verb),
    ["insert"],
  );
  assert.equal(rows().length, 1);
});

const replacing: InsertMiddleware = async (_, next) =>
  (await next()).map((result): InsertResult => ({ ...result, status: "duplicate" }));

test("middleware may replace results but not the number of them", async (t) => {
  const { inserter } = await openInserter(t, { middleware: [replacing] });
  assert.equal((await inserter.insert(mail, {})).status, "duplicate");
});

test("a commit waits for the disk as soon as one job asks for it", async (t) => {
  const { inserter, uses } = await openInserter(t);
  const relaxed = { job: mail, args: {}, options: { durability: "relaxed" as const } };
  await inserter.insertMany([relaxed, relaxed]);
  await inserter.insertMany([relaxed, { job: mail, args: {} }]);
  assert.deepEqual(
    uses.map((use) => use.verb === "insert" && use.params.durability),
    ["relaxed", "default"],
  );
});

test("options of the client, the definition and the call are resolved in that order", async (t) => {
  const { inserter } = await openInserter(t, { defaults: { queue: "client", priority: 3, maxAttempts: 7 } });
  const { job } = await inserter.insert(mail, {}, { priority: 4 });
  assert.deepEqual([job.queue, job.priority, job.maxAttempts], ["mail", 4, 7]);
});

test("prepared occurrences of periodic jobs go through middleware in one transaction", async (t) => {
  const operations: string[] = [];
  const middleware: InsertMiddleware = (context, next) => {
    operations.push(`${context.operation} ${context.requests.length}`);
    return next();
  };
  const { inserter, notices, transact, wakeUps } = await openInserter(t, { middleware: [middleware] });
  const at = Temporal.Instant.from("2026-01-02T03:04:05.6Z");
  const jobs = [
    await inserter.preparePeriodic(mail, { n: 1 }, undefined, { at, periodicJobId: "nightly" }),
    await inserter.preparePeriodic(resize, {}, { priority: 2 }, { at, periodicJobId: null }),
  ];
  const results = await inserter.insertPrepared(jobs, transact);
  assert.equal(results?.length, 2);
  const [first, second] = results;
  assert.deepEqual(operations, ["insertMany 2"]);
  assert.equal(first?.job.state, "available");
  assert.equal(first?.job.scheduledAt.toString(), at.toString());
  assert.equal(first?.job.metadata["river:periodic_job_id"], "nightly");
  assert.equal(second?.job.metadata["periodic"], true);
  assert.equal(notices().length, 2);
  assert.equal(wakeUps.length, 1);
  assert.equal(await inserter.insertPrepared(jobs, () => Promise.resolve(null)), null);
  assert.equal(wakeUps.length, 1);
  await assert.rejects(inserter.preparePeriodic(mail, [], undefined, { at, periodicJobId: null }), JsonValueError);
});

for (const [what, call, message] of [
  [
    "items that are no list",
    ({ inserter }) => inserter.insertMany({} as []),
    "items must be a list of { job, args, options? }",
  ],
  [
    "an item that is no object",
    ({ inserter }) => inserter.insertMany([1] as never),
    /^items\[0\] must be an object; items\[0\]\.job must be made by defineJob/,
  ],
  [
    "an unknown key of an item",
    ({ inserter }) => inserter.insertMany([{ job: mail, args: {}, option: {} }] as never),
    "items[0].option is not an option; did you mean options?",
  ],
  [
    "an unknown option of the call",
    ({ inserter }) => inserter.insertMany([], { queue: "a" } as never),
    "options.queue is not an option; known are tx",
  ],
  [
    "null as transaction",
    ({ inserter }) => inserter.insert(mail, {}, { tx: null as never }),
    "tx must be an open transaction, or be left out",
  ],
  [
    "null as transaction of many",
    ({ inserter }) => inserter.insertMany([], { tx: null as never }),
    "options.tx must be an open transaction, or be left out",
  ],
  [
    "a transaction among an item's options",
    ({ inserter }) => inserter.insertMany([{ job: mail, args: {}, options: { tx: {} } }] as never),
    /^items\[0\]\.options\.tx is not an option/,
  ],
] as readonly [string, (bench: Awaited<ReturnType<typeof openInserter>>) => Promise<unknown>, string | RegExp][]) {
  test(`refuses ${what}`, async (t) => {
    const bench = await openInserter(t);
    await assert.rejects(call(bench), { name: "ValidationError", message });
    assert.deepEqual(bench.uses, []);
  });
}

test("an error about very many items stops at the hundredth", async (t) => {
  const { inserter } = await openInserter(t);
  const items = Array.from({ length: 5_000 }, () => ({ job: mail, args: {}, options: { priority: 9 } }));
  await assert.rejects(inserter.insertMany(items), (error) => {
    const { problems } = (error as { details: { problems: unknown[] } }).details;
    assert.equal(problems.length, 101);
    assert.match((error as Error).message, /; items have been checked up to items\[99\] only$/);
    return true;
  });
});

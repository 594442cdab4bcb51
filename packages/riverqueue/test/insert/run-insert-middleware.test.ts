import assert from "node:assert/strict";
import test from "node:test";
import type { InsertContext, InsertMiddleware, InsertRequest } from "../../src/insert/insert-context.ts";
import type { InsertResult } from "../../src/insert/insert-result.ts";
import { runInsertMiddleware } from "../../src/insert/run-insert-middleware.ts";
import type { JobRow } from "../../src/model/job-row.ts";

const context: InsertContext = { operation: "insert", requests: [{} as InsertRequest] };
const written: InsertResult[] = [{ job: {} as JobRow, status: "inserted" }];

function run(middleware: readonly InsertMiddleware[], innermost = async (): Promise<InsertResult[]> => written) {
  return runInsertMiddleware(middleware, context, innermost);
}

test("middleware runs outermost first, around the write", async () => {
  const steps: string[] = [];
  const traced =
    (name: string): InsertMiddleware =>
    async (given, next) => {
      assert.equal(given, context);
      steps.push(`${name} before`);
      const results = await next();
      steps.push(`${name} after`);
      return results;
    };
  const results = await run([traced("outer"), traced("inner")], async () => {
    steps.push("write");
    return written;
  });
  assert.equal(results, written);
  assert.deepEqual(steps, ["outer before", "inner before", "write", "inner after", "outer after"]);
});

for (const [what, middleware, message] of [
  ["does not call next", () => written, "insert middleware did not call next()"],
  [
    "calls next twice",
    async (_: InsertContext, next: () => Promise<InsertResult[]>) => {
      await next();
      return next();
    },
    "insert middleware called next() more than once",
  ],
  [
    "calls next twice and hides the error",
    async (_: InsertContext, next: () => Promise<InsertResult[]>) => {
      const results = await next();
      await next().catch(() => {});
      return results;
    },
    "insert middleware called next() more than once",
  ],
  [
    "returns nothing",
    async (_: InsertContext, next: () => Promise<InsertResult[]>) => {
      await next();
      return undefined as unknown as InsertResult[];
    },
    "insert middleware must return the results of next(), one per request",
  ],
  [
    "returns too few results",
    async (_: InsertContext, next: () => Promise<InsertResult[]>) => {
      await next();
      return [];
    },
    "insert middleware must return the results of next(), one per request",
  ],
] as const) {
  test(`middleware that ${what} breaks its contract`, async () => {
    await assert.rejects(run([middleware]), { name: "ExtensionError", code: "extension", message });
  });
}

const swallow: InsertMiddleware = (_, next) => next().catch(() => written);

test("a failed write fails the insertion even when middleware swallows the error", async () => {
  const failure = new Error("write failed");
  await assert.rejects(
    run([swallow], async () => Promise.reject(failure)),
    (error) => error === failure,
  );
});

test("an error before or after next is the insertion's error", async () => {
  const failure = new Error("mine");
  const before: InsertMiddleware = () => {
    throw failure;
  };
  const after: InsertMiddleware = async (_, next) => {
    await next();
    throw failure;
  };
  for (const middleware of [before, after]) {
    await assert.rejects(run([middleware]), (error) => error === failure);
  }
});

const careless: InsertMiddleware = (_, next) => {
  next().catch(() => {});
  throw new Error("mine");
};

test("the insertion ends only when the write has ended, also when middleware does not wait for it", async () => {
  const { promise, resolve } = Promise.withResolvers<InsertResult[]>();
  let ended = false;
  const insertion = run([careless], () => promise).finally(() => {
    ended = true;
  });
  insertion.catch(() => {});
  await new Promise((turn) => setImmediate(turn));
  assert.equal(ended, false);
  resolve(written);
  await assert.rejects(insertion, { message: "mine" });
});

test("next after the end writes nothing", async () => {
  let late: (() => Promise<InsertResult[]>) | undefined;
  let writes = 0;
  const keeps: InsertMiddleware = (_, next) => {
    late = next;
    throw new Error("mine");
  };
  await assert.rejects(
    run([keeps], async () => {
      writes++;
      return written;
    }),
    { message: "mine" },
  );
  await assert.rejects(async () => late?.(), { name: "ExtensionError" });
  assert.equal(writes, 0);
});

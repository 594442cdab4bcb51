import assert from "node:assert/strict";
import test from "node:test";
import { runWorkMiddleware } from "../../src/extend/run-work-middleware.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { cancel, type WorkOutcome } from "../../src/work/outcome.ts";
import type { WorkAttemptContext } from "../../src/work/work-context.ts";
import type { WorkMiddleware } from "../../src/work/work-middleware.ts";

const context = {} as WorkAttemptContext<unknown>;

function run(
  middleware: readonly WorkMiddleware<unknown>[],
  innermost: () => Promise<WorkOutcome | undefined> = async () => undefined,
): Promise<WorkOutcome | undefined> {
  return runWorkMiddleware(middleware, context, innermost);
}

const rescued: WorkMiddleware<unknown> = (_context, next) => next().catch(() => cancel());

test("the first is outermost, and each may change what comes out", async () => {
  const calls: string[] = [];
  const named =
    (name: string): WorkMiddleware<unknown> =>
    async (given, next) => {
      assert.equal(given, context);
      calls.push(`${name} in`);
      const outcome = await next();
      calls.push(`${name} out`);
      return outcome;
    };
  const outcome = await run([named("a"), rescued, named("b")], async () => {
    throw new Error("boom");
  });
  assert.equal(outcome?.type, "cancel");
  assert.deepStrictEqual(calls, ["a in", "b in", "a out"]);
});

test("next() must be called once, not less, not more, and not later", async () => {
  const refused = async (middleware: WorkMiddleware<unknown>, message: string): Promise<void> => {
    await assert.rejects(run([middleware]), { name: "ExtensionError", message: `work middleware ${message}` });
  };
  await refused(async () => undefined, "did not call next()");
  await refused(async (_context, next) => {
    await next();
    return next().catch(() => undefined);
  }, "called next() more than once");
  await refused(async (_context, next) => {
    const outcome = await next();
    void next();
    return outcome;
  }, "called next() more than once");

  let late: (() => Promise<unknown>) | undefined;
  await run([
    (_context, next) => {
      late = next;
      return next();
    },
  ]);
  await assert.rejects(async () => late?.(), { message: "work middleware called next() after it had returned" });
});

test("the chain settles only when what is inside has settled", async () => {
  const inside = deferred<undefined>();
  let settled = false;
  const chain = run([async (_context, next) => void next()], () => inside.promise);
  void chain.catch(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(settled, false);
  inside.resolve(undefined);
  await assert.rejects(chain, { message: "work middleware returned before next() had settled" });

  const slow = deferred<undefined>();
  const failing = run(
    [
      (_context, next) => {
        void next();
        throw new Error("mine");
      },
    ],
    () => slow.promise,
  );
  slow.reject(new Error("inner"));
  await assert.rejects(failing, { message: "mine" });
});

test("what middleware returns must be nothing or an outcome", async () => {
  const forgetful = (async (_context: unknown, next: () => Promise<unknown>) => {
    await next();
    return { type: "complete" };
  }) as unknown as WorkMiddleware<unknown>;
  await assert.rejects(run([forgetful]), { name: "ExtensionError", message: /returned an object instead of/ });
});

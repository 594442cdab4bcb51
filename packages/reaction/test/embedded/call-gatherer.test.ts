import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { gatherCalls } from "../../src/embedded/call-gatherer.ts";

failOnLeaks();

const keyOf = (key: string): string => key;
const isolates = (error: unknown): boolean => error instanceof RangeError;

function refusing(all: readonly string[]): Promise<readonly string[]> {
  if (all.includes("refused")) return Promise.reject(new RangeError("a value"));
  if (all.includes("down")) return Promise.reject(new TypeError("the database"));
  return Promise.resolve(all);
}

test("calls of one turn share a run, and so do those that come while it is on its way", async () => {
  const runs: string[][] = [];
  const first = Promise.withResolvers<void>();
  const run = async (all: readonly string[]): Promise<readonly string[]> => {
    runs.push([...all]);
    if (runs.length === 1) await first.promise;
    return all.map((each) => each.toUpperCase());
  };
  const call = gatherCalls(null)(run, { keyOf, isolates });
  const early = [call("a"), call("b")];
  await new Promise((resolve) => setImmediate(resolve));
  const late = [call("c"), call("d")];
  first.resolve();
  assert.deepEqual(await Promise.all([...early, ...late]), ["A", "B", "C", "D"]);
  assert.deepEqual(runs, [
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("two calls of one key never share a run", async () => {
  const runs: string[][] = [];
  const run = (all: readonly string[]): Promise<readonly string[]> => Promise.resolve((runs.push([...all]), all));
  const call = gatherCalls(null)(run, { keyOf, isolates });
  await Promise.all([call("a"), call("b"), call("a")]);
  assert.deepEqual(runs, [["a", "b"], ["a"]]);
});

test("a failure that one call causes is that call's alone, any other is everybody's", async () => {
  const call = gatherCalls(null)(refusing, { keyOf, isolates });
  const mixed = await Promise.allSettled([call("a"), call("refused"), call("b")]);
  assert.deepEqual(
    mixed.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  const down = await Promise.allSettled([call("a"), call("down")]);
  assert.deepEqual(
    down.map(({ status }) => status),
    ["rejected", "rejected"],
  );
});

test("a run that does not end keeps later calls waiting for a moment only", async () => {
  const stuck = Promise.withResolvers<readonly string[]>();
  const call = gatherCalls(null)(
    (all: readonly string[]) => (all.includes("stuck") ? stuck.promise : Promise.resolve(all)),
    {
      keyOf,
      isolates,
    },
  );
  const waiting = call("stuck");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await call("a"), "a");
  stuck.resolve(["late"]);
  assert.equal(await waiting, "late");
});

test("a call that is not admitted is not run", async () => {
  const runs: string[][] = [];
  const call = gatherCalls(() => Promise.reject(new TypeError("not here")))(
    (all: readonly string[]) => Promise.resolve((runs.push([...all]), all)),
    { keyOf, isolates },
  );
  await assert.rejects(call("a"), TypeError);
  assert.deepEqual(runs, []);
});

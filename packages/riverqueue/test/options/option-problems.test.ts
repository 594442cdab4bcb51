/** Collecting what is wrong with options, and guessing what was meant. */
import assert from "node:assert/strict";
import { createContext, runInContext } from "node:vm";
import test from "node:test";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import { nearestName } from "../../src/options/nearest-name.ts";
import { isPlainObject, OptionProblems } from "../../src/options/option-problems.ts";

const KNOWN = ["maxWorkers", "fetchCooldown", "pollInterval"];

test("the nearest name is found by edits, whatever the case, and only if it is near", () => {
  assert.equal(nearestName("maxWorker", KNOWN), "maxWorkers");
  assert.equal(nearestName("MAXWORKERS", KNOWN), "maxWorkers");
  assert.equal(nearestName("pollIntreval", KNOWN), "pollInterval");
  assert.equal(nearestName("a", ["b"]), "b");
  assert.equal(nearestName("concurrency", KNOWN), null);
  assert.equal(nearestName("x", []), null);
});

test("JS-101 unknown keys are refused by path with the nearest name, Ms names with the right one", () => {
  const problems = new OptionProblems();
  problems.object({ maxWorker: 1, pollIntervalMs: 5, [Symbol("s")]: 1, zzz: 0 }, "queues.default", KNOWN);
  assert.throws(
    () => problems.throwConfiguration(),
    (error: unknown) => {
      assert.ok(error instanceof ConfigurationError);
      assert.deepEqual(error.message.split("; "), [
        "queues.default.maxWorker is not an option",
        "did you mean maxWorkers?",
        "queues.default.pollIntervalMs is not an option",
        "use pollInterval with a duration such as { seconds: 5 }",
        "queues.default.zzz is not an option",
        "known are maxWorkers, fetchCooldown, pollInterval",
        "queues.default.Symbol(s) is not an option",
        "known are maxWorkers, fetchCooldown, pollInterval",
      ]);
      assert.equal((error.details as { problems: unknown[] }).problems.length, 4);
      return true;
    },
  );
});

test("no problem throws nothing, and one throws the class that was asked for", () => {
  const problems = new OptionProblems();
  problems.throwConfiguration();
  problems.throwValidation();
  assert.ok(problems.isEmpty);
  assert.deepEqual(problems.object(null, "", KNOWN), {});
  assert.throws(
    () => problems.throwValidation(),
    new ValidationError("options must be an object", {
      details: { problems: [{ path: "options", expectation: "must be an object" }] },
    }),
  );
  assert.throws(() => problems.throwConfiguration(), ConfigurationError);
});

test("plain objects are literals, also those of another realm and without a prototype", () => {
  const foreign: unknown = runInContext("({ a: 1 })", createContext({}));
  for (const value of [{}, Object.create(null), foreign]) assert.ok(isPlainObject(value));
  for (const value of [null, 1, "a", [], new Map(), new Date(), () => {}]) assert.equal(isPlainObject(value), false);
});

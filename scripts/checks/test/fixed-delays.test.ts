import assert from "node:assert/strict";
import test from "node:test";
import { checkFixedDelays } from "../fixed-delays.ts";

const lines = (text: string, path = "packages/a/test/b.test.ts"): number[] =>
  checkFixedDelays([{ path, text }]).map(({ line }) => line);

// Put together here, so that this file holds no delay itself.
const timer = ["set", "Timeout"].join("");
const wait = ["aw", "ait"].join("");

test("a promise that a timer resolves is a fixed delay", () => {
  assert.deepEqual(lines(`\n${wait} new Promise((resolve) => ${timer}(resolve, 10));`), [2]);
  assert.deepEqual(lines(`${wait} new Promise((done) => ${timer}(() => done(), 10));`), [1]);
  assert.deepEqual(lines(`${wait} sleep(5);\n${wait} delay (5);`), [1, 2]);
  assert.deepEqual(lines("scheduler.wait(5); Atomics.wait(a, 0, 0);"), [1, 1]);
});

test("the timers that are promises are fixed delays", () => {
  assert.deepEqual(lines('import { setTimeout } from "node:timers/promises";'), [1]);
});

test("a timer that ends a hanging test, a comment and production code are none", () => {
  assert.deepEqual(lines(`${timer}(() => controller.abort(), 5_000);`), []);
  assert.deepEqual(lines(`// ${wait} sleep(5); ${timer}(resolve, 1)`), []);
  assert.deepEqual(lines(`${timer}(resolve, 1);`, "packages/a/src/clock.ts"), []);
});

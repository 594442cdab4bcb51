import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { TimeLimit } from "../src/connection/time-limit.ts";

failOnLeaks();

test("a limit beyond Node's longest timer gets that one, since Node would make it a millisecond", (t) => {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  new TimeLimit("jobs.deleteFinalized", 60 * 24 * 60 * 60 * 1000)[Symbol.dispose]();
  assert.equal(mock.calls[0]?.arguments[1], 2_147_483_647);
});

/** Loggers that fail. */
import assert from "node:assert/strict";
import test from "node:test";
import { guardedLogger } from "../../src/kit/logger.ts";

function rejects(): unknown {
  return Promise.reject(new Error("the disk is full"));
}

function throws(): never {
  throw new Error("the disk is full");
}

test("a logger that throws or rejects concerns nobody", async (t) => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", listener);
  t.after(() => process.off("unhandledRejection", listener));
  const logger = guardedLogger({ debug: rejects, info: throws, warn: rejects, error: throws });
  for (const level of ["debug", "info", "warn", "error"] as const) logger[level]({}, "a message");
  await new Promise(setImmediate);
  assert.deepEqual(unhandled, []);
});

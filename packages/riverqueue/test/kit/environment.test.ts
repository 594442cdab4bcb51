/** Surroundings of a client, platform checks, failures told apart, loggers. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, ManualClock } from "@riverqueue/internal-test-kit";
import { systemClock } from "../../src/kit/clock.ts";
import { attachEnvironment, environmentOf } from "../../src/kit/environment.ts";
import { consoleLogger, guardedLogger, type Logger } from "../../src/kit/logger.ts";
import { assertRuntimeSupport } from "../../src/kit/runtime-support.ts";
import { isPermanentFailure, logBackgroundFailure } from "../../src/kit/transient.ts";
import { BackendMismatchError } from "../../src/model/errors/backend-mismatch-error.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { UnsupportedCapabilityError } from "../../src/model/errors/unsupported-capability-error.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

test("an environment belongs to exactly one options object and is completed by production's", () => {
  const clock = new ManualClock();
  const options = attachEnvironment({}, { clock });
  assert.equal(environmentOf(options).clock, clock);
  assert.equal(environmentOf(options).databaseNow, null);
  assert.equal(environmentOf({ ...options }).clock, systemClock);
  assert.equal(environmentOf(undefined).random, Math.random);
});

test("JS-116 the platform check names the missing feature", (t) => {
  assert.doesNotThrow(assertRuntimeSupport);
  const { Temporal } = globalThis;
  t.after(() => Object.assign(globalThis, { Temporal }));
  Reflect.deleteProperty(globalThis, "Temporal");
  assert.throws(assertRuntimeSupport, (error: unknown) => {
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /^River needs Temporal, which .* lacks: use Node\.js 26/);
    return true;
  });
});

test("JS-74 wrong configuration, missing capability and wrong backend are permanent, nothing else is", () => {
  const permanent = [
    new ConfigurationError("x"),
    new BackendMismatchError("sqlite", "x"),
    new UnsupportedCapabilityError("sqlite", "x"),
  ];
  for (const error of permanent) assert.ok(isPermanentFailure(error));
  for (const error of [databaseError("transient"), databaseError("other"), new Error("x"), null, "x"]) {
    assert.equal(isPermanentFailure(error), false);
  }
});

test("JS-73 a transient failure is a warning and any other an error", () => {
  const logged: unknown[] = [];
  const log = (level: string) => (attributes: object, message: string) =>
    void logged.push([level, attributes, message]);
  const logger: Logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  const [transient, other] = [databaseError("transient"), databaseError("other")];
  logBackgroundFailure(logger, transient, { queue: "q" }, "m");
  logBackgroundFailure(logger, other, {}, "m");
  assert.deepEqual(logged, [
    ["warn", { queue: "q", error: transient }, "m"],
    ["error", { error: other }, "m"],
  ]);
});

test("the default logger writes warnings and errors only, and a guarded one never throws", (t) => {
  const written: unknown[][] = [];
  t.mock.method(console, "warn", (...args: unknown[]) => void written.push(["warn", ...args]));
  t.mock.method(console, "error", (...args: unknown[]) => void written.push(["error", ...args]));
  for (const level of ["debug", "info", "warn", "error"] as const) consoleLogger[level]({ a: 1 }, level);
  assert.deepEqual(written, [
    ["warn", "warn", { a: 1 }],
    ["error", "error", { a: 1 }],
  ]);
  const guarded = guardedLogger({ debug: fail, info: fail, warn: fail, error: fail });
  for (const level of ["debug", "info", "warn", "error"] as const) assert.doesNotThrow(() => guarded[level]({}, "m"));
});

function fail(): never {
  throw new Error("no space left");
}

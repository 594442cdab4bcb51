import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";
import { BackendMismatchError } from "../../src/model/errors/backend-mismatch-error.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { DatabaseOperationError } from "../../src/model/errors/database-operation-error.ts";
import { ExtensionError } from "../../src/model/errors/extension-error.ts";
import { isRetryableError } from "../../src/model/errors/is-retryable-error.ts";
import { JobAbortedError } from "../../src/model/errors/job-aborted-error.ts";
import { JobAttemptFinishedError } from "../../src/model/errors/job-attempt-finished-error.ts";
import { JobCancelledError } from "../../src/model/errors/job-cancelled-error.ts";
import { JobRunningError } from "../../src/model/errors/job-running-error.ts";
import { JobStuckError } from "../../src/model/errors/job-stuck-error.ts";
import { JobTimeoutError } from "../../src/model/errors/job-timeout-error.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { LifecycleError } from "../../src/model/errors/lifecycle-error.ts";
import { MigrationError } from "../../src/model/errors/migration-error.ts";
import { PayloadValidationError } from "../../src/model/errors/payload-validation-error.ts";
import { RIVER_ERROR_CODE } from "../../src/model/errors/river-error-code.ts";
import { RiverError } from "../../src/model/errors/river-error.ts";
import { SubscriptionLagError } from "../../src/model/errors/subscription-lag-error.ts";
import { TransactionScopeError } from "../../src/model/errors/transaction-scope-error.ts";
import { UniqueConflictError } from "../../src/model/errors/unique-conflict-error.ts";
import { UnknownJobKindError } from "../../src/model/errors/unknown-job-kind-error.ts";
import { UnsupportedCapabilityError } from "../../src/model/errors/unsupported-capability-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";

const minute = Temporal.Duration.from({ minutes: 1 });
const tenSeconds = Temporal.Duration.from({ seconds: 10 });
const where = { backend: "sqlite", operation: "jobs.insert" };

/** One error of every class, its code, its own fields and what its message must say. */
const SAMPLES: readonly [RiverError, string, object, RegExp][] = [
  [new BackendMismatchError("postgres", "m"), "backend_mismatch", { backend: "postgres" }, /^m$/],
  [new ConfigurationError("m"), "configuration", {}, /^m$/],
  [new DatabaseOperationError("m", where), "database", where, /^m$/],
  [new ExtensionError("m"), "extension", {}, /^m$/],
  [new JobAbortedError(7n), "job_aborted", { jobId: 7n }, /^job aborted after ignoring cancellation$/],
  [new JobAttemptFinishedError(7n), "job_attempt_finished", { jobId: 7n }, /job 7 has finished/],
  [new JobCancelledError(7n), "job_cancelled", { jobId: 7n }, /^job cancelled remotely$/],
  [new JobRunningError(7n), "job_running", { jobId: 7n }, /job 7 is running/],
  [
    new JobStuckError(7n, minute, tenSeconds),
    "job_stuck",
    { jobId: 7n, timeout: minute, threshold: tenSeconds },
    /job 7 .* PT10S .* PT1M/,
  ],
  [new JobTimeoutError(7n, minute), "job_timeout", { jobId: 7n, timeout: minute }, /job 7 .* PT1M/],
  [new JsonValueError("$.a", "m"), "validation", { path: "$.a" }, /^m$/],
  [new LifecycleError("m"), "lifecycle", {}, /^m$/],
  [new MigrationError("m", where), "migration", where, /^m$/],
  [new PayloadValidationError("k", "work", "m"), "payload_validation", { kind: "k", phase: "work" }, /^m$/],
  [new SubscriptionLagError(3), "subscription_lag", { dropped: 3 }, /3 events/],
  [new TransactionScopeError("nested", "m"), "transaction_scope", { reason: "nested" }, /^m$/],
  [new UniqueConflictError("m", { holderId: 9n }), "unique_conflict", { holderId: 9n }, /^m$/],
  [
    new UnknownJobKindError("send"),
    "unknown_job_kind",
    { kind: "send" },
    /^job kind is not registered in the client's Workers bundle: send$/,
  ],
  [
    new UnsupportedCapabilityError("prisma", "start"),
    "unsupported_capability",
    { backend: "prisma", capability: "start" },
    /prisma .* start/,
  ],
  [new ValidationError("m"), "validation", {}, /^m$/],
];

test("each error class has its name, literal code, fields and message", () => {
  for (const [error, code, fields, message] of SAMPLES) {
    assert.ok(error instanceof RiverError && error instanceof Error);
    assert.equal(error.name, error.constructor.name);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.ok(error.stack?.startsWith(`${error.name}: ${error.message}`));
    assert.equal(error.retryable, false);
    assert.equal("cause" in error, false);
    for (const [key, value] of Object.entries(fields)) assert.equal(Reflect.get(error, key), value, key);
  }
});

test("classes and codes are the same set, both ways", async () => {
  const folder = new URL("../../src/model/errors/", import.meta.url);
  const classes = new Set<unknown>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith("-error.ts"))) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href);
    for (const value of Object.values(module)) {
      if (typeof value === "function" && value.prototype instanceof RiverError) classes.add(value);
    }
  }
  assert.deepEqual(classes, new Set(SAMPLES.map(([error]) => error.constructor)));
  const used = new Set(SAMPLES.map(([error]) => error.code));
  assert.deepEqual(used, new Set(Object.values(RIVER_ERROR_CODE)));
  for (const [key, code] of Object.entries(RIVER_ERROR_CODE)) {
    assert.equal(
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      code,
    );
  }
  assert.ok(Object.isFrozen(RIVER_ERROR_CODE));
});

test("a JSON value error is a validation error", () => {
  assert.ok(new JsonValueError("$", "m") instanceof ValidationError);
});

test("cause, details and retryable are taken over; details are a frozen copy", () => {
  const cause = new Error("inner");
  const details = { queue: "default" };
  const error = new ConfigurationError("m", { cause, details, retryable: true });
  details.queue = "changed";
  assert.equal(error.cause, cause);
  assert.deepEqual(error.details, { queue: "default" });
  assert.ok(Object.isFrozen(error.details));
  assert.equal(error.retryable, true);
  assert.deepEqual(new ConfigurationError("m").details, {});
});

test("options that stand in for arguments have their defaults", () => {
  assert.equal(new UniqueConflictError("m").holderId, null);
  assert.equal(new UnsupportedCapabilityError("prisma", "start", { message: "own" }).message, "own");
  assert.match(new SubscriptionLagError(1).message, /1 event that/);
});

test("isRetryableError accepts any thrown value and answers for River's errors only", () => {
  assert.equal(isRetryableError(new DatabaseOperationError("m", { ...where, retryable: true })), true);
  assert.equal(isRetryableError(new DatabaseOperationError("m", where)), false);
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  for (const thrown of [undefined, null, "x", { retryable: true }, new Error("x"), revoked.proxy]) {
    assert.equal(isRetryableError(thrown), false);
  }
});

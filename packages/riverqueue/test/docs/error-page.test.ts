import assert from "node:assert/strict";
import test from "node:test";
import * as river from "../../src/index.ts";
import { Page } from "./testdata/read-page.ts";

const page = new Page("reference/errors.md");
const duration = Temporal.Duration.from({ seconds: 1 });
const where = { backend: "sqlite", operation: "jobs.insert" };

/** One error of every class. */
const samples: readonly river.RiverError[] = [
  new river.BackendMismatchError("sqlite", "m"),
  new river.ConfigurationError("m"),
  new river.DatabaseOperationError("m", where),
  new river.ExtensionError("m"),
  new river.JobAbortedError(1n),
  new river.JobAttemptFinishedError(1n),
  new river.JobCancelledError(1n),
  new river.JobRunningError(1n),
  new river.JobStuckError(1n, duration, duration),
  new river.JobTimeoutError(1n, duration),
  new river.JsonValueError("$", "m"),
  new river.LifecycleError("m"),
  new river.MigrationError("m", where),
  new river.PayloadValidationError("k", "work", "m"),
  new river.SubscriptionLagError(1),
  new river.TransactionScopeError("nested", "m"),
  new river.UniqueConflictError("m"),
  new river.UnknownJobKindError("k"),
  new river.UnsupportedCapabilityError("sqlite", "c"),
  new river.ValidationError("m"),
];

const SHARED_FIELDS = new Set(["stack", "message", "cause", "code", "details", "retryable"]);

function ownFields(error: Error): string[] {
  return Object.getOwnPropertyNames(error)
    .filter((name) => !SHARED_FIELDS.has(name))
    .toSorted();
}

test("the classes of the page are those that are published, both ways", () => {
  const published = Object.values<unknown>({ ...river }).filter(
    (value) => typeof value === "function" && value.prototype instanceof river.RiverError,
  );
  const names = published.map((value) => (value as { readonly name: string }).name).toSorted();
  assert.deepEqual(page.names("Classes").toSorted(), names);
  assert.deepEqual(samples.map(({ name }) => name).toSorted(), names);
});

test("codes and fields of the page are those of the classes, and every code is on it", () => {
  const rows = new Map(page.rows("Classes").map(([name = "", ...cells]) => [name.replaceAll("`", ""), cells]));
  for (const error of samples) {
    const [code, fields = ""] = rows.get(error.name) ?? [];
    assert.equal(code, `\`${error.code}\``, error.name);
    const listed = [...fields.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "").toSorted();
    assert.deepEqual(listed, ownFields(error), error.name);
  }
  const listed = new Set([...rows.values()].map(([code = ""]) => code.replaceAll("`", "")));
  assert.deepEqual(listed, new Set<string>(Object.values(river.RIVER_ERROR_CODE)));
});

test("the reasons of a transaction scope error are on the page, both ways", () => {
  const reasons: Record<river.TransactionScopeErrorReason, true> = {
    event_loop_turn: true,
    nested: true,
    no_transaction: true,
    reentrant: true,
  };
  assert.deepEqual(page.names("Reasons of a transaction scope error").toSorted(), Object.keys(reasons).toSorted());
});

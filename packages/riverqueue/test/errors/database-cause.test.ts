import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { inspect } from "node:util";
import { databaseCause } from "../../src/model/errors/database-cause.ts";
import { DatabaseOperationError } from "../../src/model/errors/database-operation-error.ts";

function thrownBy(body: () => unknown): unknown {
  try {
    body();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}

test("the cause of a database error keeps six fields and nothing else", () => {
  const driverError = Object.assign(new Error('duplicate key (email)=("secret@example.com")'), {
    code: "23505",
    severity: "ERROR",
    constraint: "users_email_key",
    table: "users",
    column: "email",
    routine: "_bt_check_unique",
    detail: "secret",
    query: "INSERT INTO users VALUES ('secret')",
    parameters: ["secret"],
    cause: new Error("secret"),
  });
  const error = new DatabaseOperationError("the insert failed", {
    backend: "postgres",
    operation: "jobs.insert",
    cause: driverError,
  });
  assert.ok(error.cause instanceof Error && error.cause !== driverError);
  assert.deepEqual(Object.assign({}, error.cause), {
    code: "23505",
    severity: "ERROR",
    constraint: "users_email_key",
    table: "users",
    column: "email",
    routine: "_bt_check_unique",
  });
  assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /secret/);
});

test("a real SQLite error leaves no statement text behind", () => {
  using database = new DatabaseSync(":memory:");
  const cause = databaseCause(thrownBy(() => database.exec("select secret_column from secret_table")));
  assert.equal(cause.code, "ERR_SQLITE_ERROR");
  assert.doesNotMatch(inspect(cause, { showHidden: true }), /secret/);
});

test("a field is cut to 256 characters", () => {
  assert.equal(databaseCause({ constraint: "c".repeat(1_000) }).constraint, "c".repeat(256));
});

test("a copy is returned as it is, and unreadable or primitive values give an empty one", () => {
  const copy = databaseCause({ code: "57014" });
  assert.equal(databaseCause(copy), copy);
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const hostile = {
    get code(): string {
      throw new Error("no");
    },
    table: 5,
  };
  for (const thrown of [undefined, null, "text", 1n, Symbol("s"), revoked.proxy, hostile]) {
    assert.deepEqual(Object.keys(databaseCause(thrown)), []);
  }
});

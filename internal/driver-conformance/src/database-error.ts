/** What every error of a database must be above the seam. */
import assert from "node:assert/strict";
import { DatabaseOperationError } from "riverqueue/driver";
import type { Subject } from "./subject.ts";

/** Facts that callers decide by. */
export interface DatabaseErrorFacts {
  /** What River was doing, like `jobs.insert`. */
  readonly operation: string;
  readonly retryable: boolean;
  /** A value of one row is to blame. */
  readonly rowCaused: boolean;
  /** Text that may be in no part of the error. */
  readonly secret?: string;
}

/** For `assert.rejects`: a `DatabaseOperationError` with these facts. */
export function databaseError(subject: Subject, facts: DatabaseErrorFacts): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof DatabaseOperationError, String(error));
    const { code, backend, operation, retryable, details } = error;
    assert.deepEqual(
      { code, backend, operation, retryable, rowCaused: details["rowCaused"] },
      {
        code: "database",
        backend: subject.driver.backend,
        operation: facts.operation,
        retryable: facts.retryable,
        rowCaused: facts.rowCaused,
      },
    );
    assert.equal(typeof details["reason"], "string");
    if (facts.secret !== undefined) assertHides(error, facts.secret);
    return true;
  };
}

function assertHides(error: Error, secret: string): void {
  const { message, stack = "", cause } = error;
  const own = typeof cause === "object" && cause !== null ? Object.getOwnPropertyNames(cause) : [];
  const fields = own.map((name) => String((cause as Record<string, unknown>)[name]));
  for (const text of [message, stack, String(cause), ...fields]) {
    assert.ok(!text.includes(secret), text);
    assert.doesNotMatch(text, /\b(?:INSERT INTO|SELECT|UPDATE river|VALUES)\b/);
  }
}

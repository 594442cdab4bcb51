/** Turns what went wrong during a call of a migrator into the error that the caller gets. */
import { DatabaseOperationError, MigrationError } from "riverqueue/driver";
import type { MigrationBackend } from "./migration.ts";
import { MigrationProblem } from "./migration-problem.ts";

/** Where a failure happened. */
export interface FailureContext {
  readonly backend: MigrationBackend;
  /** Method that was called, like `migrateUp`. */
  readonly operation: string;
}

/** A `MigrationError` for a problem or an error of the database; anything else is nobody's expectation and stays. */
export function migrationFailure(error: unknown, context: FailureContext, during: string): unknown {
  if (error instanceof MigrationProblem) return new MigrationError(`${during}: ${error.message}`, context);
  if (!(error instanceof DatabaseOperationError)) return error;
  return new MigrationError(`${during}: ${error.message}`, { ...context, cause: error, retryable: error.retryable });
}

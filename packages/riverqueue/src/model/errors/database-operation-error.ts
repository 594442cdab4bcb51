import { databaseCause } from "./database-cause.ts";
import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** Options of {@link DatabaseOperationError}. */
export interface DatabaseOperationErrorOptions extends RiverErrorSubclassOptions {
  readonly backend: string;
  /** What River was doing, like `jobs.insert`. */
  readonly operation: string;
}

/**
 * A statement failed or the database was out of reach; `retryable` says whether the same call may succeed later. The
 * message holds no SQL, bound value or credential, and the cause is reduced to a copy with the driver's `code`,
 * `severity`, `constraint`, `table`, `column` and `routine`.
 */
export class DatabaseOperationError extends RiverError {
  static {
    this.prototype.name = "DatabaseOperationError";
  }

  declare readonly code: "database";
  readonly backend: string;
  readonly operation: string;

  constructor(message: string, options: DatabaseOperationErrorOptions) {
    const { backend, operation, cause, ...rest } = options;
    super(message, {
      ...rest,
      cause: cause === undefined ? undefined : databaseCause(cause),
      code: RIVER_ERROR_CODE.database,
    });
    this.backend = backend;
    this.operation = operation;
  }
}

import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** Options of {@link MigrationError}. */
export interface MigrationErrorOptions extends RiverErrorSubclassOptions {
  readonly backend: string;
  /** What the migrator was doing, like `migrateUp`. */
  readonly operation: string;
}

/** A migration is unknown, refused or failed. What the database itself said is a `DatabaseOperationError` as cause. */
export class MigrationError extends RiverError {
  static {
    this.prototype.name = "MigrationError";
  }

  declare readonly code: "migration";
  readonly backend: string;
  readonly operation: string;

  constructor(message: string, options: MigrationErrorOptions) {
    const { backend, operation, ...rest } = options;
    super(message, { ...rest, code: RIVER_ERROR_CODE.migration });
    this.backend = backend;
    this.operation = operation;
  }
}

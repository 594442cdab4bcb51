import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** Options of {@link UniqueConflictError}. */
export interface UniqueConflictErrorOptions extends RiverErrorSubclassOptions {
  /** The row that has the key. Null, the default, when it could not be read. */
  readonly holderId?: bigint | null | undefined;
}

/**
 * Another row holds the job's unique key by now, so the job cannot go to a state in which it would hold the key too; it
 * is unchanged. On Postgres inside `{ tx }` this has aborted the caller's transaction.
 *
 * @addition
 */
export class UniqueConflictError extends RiverError {
  static {
    this.prototype.name = "UniqueConflictError";
  }

  declare readonly code: "unique_conflict";
  readonly holderId: bigint | null;

  constructor(message: string, options: UniqueConflictErrorOptions = {}) {
    const { holderId = null, ...rest } = options;
    super(message, { ...rest, code: RIVER_ERROR_CODE.uniqueConflict });
    this.holderId = holderId;
  }
}

import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** A value passed to an operation is wrong. The message names the path of the bad value; nothing has been written. */
export class ValidationError extends RiverError {
  static {
    this.prototype.name = "ValidationError";
  }

  declare readonly code: "validation";

  constructor(message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.validation });
  }
}

import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** A call that does not fit the state of its object: started twice, used after a stop or a close. */
export class LifecycleError extends RiverError {
  static {
    this.prototype.name = "LifecycleError";
  }

  declare readonly code: "lifecycle";

  constructor(message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.lifecycle });
  }
}

import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** A hook, middleware or plugin broke its contract, for instance by calling `next` twice. */
export class ExtensionError extends RiverError {
  static {
    this.prototype.name = "ExtensionError";
  }

  declare readonly code: "extension";

  constructor(message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.extension });
  }
}

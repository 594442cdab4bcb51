import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** Static configuration is wrong: options of a constructor, a definition, a worker. The message names the path of the bad value. */
export class ConfigurationError extends RiverError {
  static {
    this.prototype.name = "ConfigurationError";
  }

  declare readonly code: "configuration";

  constructor(message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.configuration });
  }
}

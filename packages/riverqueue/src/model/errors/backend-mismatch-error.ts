import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** A handle, a migration or a database belongs to another backend than the one it was used with. */
export class BackendMismatchError extends RiverError {
  static {
    this.prototype.name = "BackendMismatchError";
  }

  declare readonly code: "backend_mismatch";
  /** The backend that was expected. */
  readonly backend: string;

  constructor(backend: string, message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.backendMismatch });
    this.backend = backend;
  }
}

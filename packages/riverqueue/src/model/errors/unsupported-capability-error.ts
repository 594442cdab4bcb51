import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** What a driver may lack. The names are those that the core asks for; other packages may ask for more. */
export type DriverCapability =
  | "inspection"
  | "job operations"
  | "leadership"
  | "queue operations"
  | "working jobs"
  | (string & Record<never, never>);

/** Options of {@link UnsupportedCapabilityError}. */
export interface UnsupportedCapabilityErrorOptions extends RiverErrorSubclassOptions {
  /** Takes the place of the text made from backend and capability. */
  readonly message?: string | undefined;
}

/** The driver cannot do what was asked, for instance work jobs with a driver that only inserts. */
export class UnsupportedCapabilityError extends RiverError {
  static {
    this.prototype.name = "UnsupportedCapabilityError";
  }

  declare readonly code: "unsupported_capability";
  readonly backend: string;
  readonly capability: DriverCapability;

  constructor(backend: string, capability: DriverCapability, options: UnsupportedCapabilityErrorOptions = {}) {
    const { message = `the ${backend} driver does not support ${capability}`, ...rest } = options;
    super(message, { ...rest, code: RIVER_ERROR_CODE.unsupportedCapability });
    this.backend = backend;
    this.capability = capability;
  }
}

import type { RiverErrorSubclassOptions } from "./river-error.ts";
import { ValidationError } from "./validation-error.ts";

/** A value is no JSON that every backend stores, or a text is no JSON. */
export class JsonValueError extends ValidationError {
  static {
    this.prototype.name = "JsonValueError";
  }

  /** Where the bad value is, like `$.lines[0]["unit price"]`; `$` is the whole value. */
  readonly path: string;

  constructor(path: string, message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, options);
    this.path = path;
  }
}

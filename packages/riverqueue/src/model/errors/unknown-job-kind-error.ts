import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError } from "./river-error.ts";

/** A job was claimed whose kind the client has no worker for. The text is shared by River clients of every language. */
export class UnknownJobKindError extends RiverError {
  static {
    this.prototype.name = "UnknownJobKindError";
  }

  declare readonly code: "unknown_job_kind";
  readonly kind: string;

  constructor(kind: string) {
    super(`job kind is not registered in the client's Workers bundle: ${kind}`, {
      code: RIVER_ERROR_CODE.unknownJobKind,
    });
    this.kind = kind;
  }
}

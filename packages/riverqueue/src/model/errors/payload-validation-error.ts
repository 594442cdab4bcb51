import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError, type RiverErrorSubclassOptions } from "./river-error.ts";

/** When arguments were checked: before they were stored or before they were worked. */
export type PayloadValidationPhase = "insert" | "work";

/** A job's arguments do not pass its definition's schema or decoder. */
export class PayloadValidationError extends RiverError {
  static {
    this.prototype.name = "PayloadValidationError";
  }

  declare readonly code: "payload_validation";
  readonly kind: string;
  readonly phase: PayloadValidationPhase;

  constructor(kind: string, phase: PayloadValidationPhase, message: string, options: RiverErrorSubclassOptions = {}) {
    super(message, { ...options, code: RIVER_ERROR_CODE.payloadValidation });
    this.kind = kind;
    this.phase = phase;
  }
}

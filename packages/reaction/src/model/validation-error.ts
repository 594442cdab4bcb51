import { ReactionError } from "./reaction-error.ts";

/** A bad value of an operation: a payload or input that its schema refuses, a bad key, a filter that makes no sense. */
export class ValidationError extends ReactionError {
  static {
    this.prototype.name = "ValidationError";
  }

  declare readonly code: "validation";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: "validation" });
  }
}

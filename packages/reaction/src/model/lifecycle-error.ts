import { ReactionError } from "./reaction-error.ts";

/** A call that does not fit its moment, such as `settle()` before the caller's transaction has committed. */
export class LifecycleError extends ReactionError {
  static {
    this.prototype.name = "LifecycleError";
  }

  declare readonly code: "lifecycle";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: "lifecycle" });
  }
}

import { ReactionError } from "./reaction-error.ts";

/** The store refuses a value for its content or size, whatever is tried again. Thrown by stores only. */
export class StoredContentError extends ReactionError {
  static {
    this.prototype.name = "StoredContentError";
  }

  declare readonly code: "content";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: "content" });
  }
}

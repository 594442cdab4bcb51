import { ReactionError } from "./reaction-error.ts";

/** What a call needs was deleted by retention: a command cannot run again without its input. Nothing was changed. */
export class DeletedContentError extends ReactionError {
  static {
    this.prototype.name = "DeletedContentError";
  }

  declare readonly code: "content_deleted";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: "content_deleted" });
  }
}

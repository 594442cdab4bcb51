import { ReactionError } from "./reaction-error.ts";

/** A message that is larger than a queue takes. Nothing of the call was sent. */
export class MessageTooLargeError extends ReactionError {
  static {
    this.prototype.name = "MessageTooLargeError";
  }

  declare readonly code: "message_too_large";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: "message_too_large" });
  }
}

/** Base of every error that this package throws on purpose. Messages hold no payloads, SQL or credentials. */

/** Literal codes, one a kind of failure. */
export type ReactionErrorCode =
  | "configuration"
  | "content"
  | "content_deleted"
  | "lifecycle"
  | "message_too_large"
  | "retry"
  | "validation";

/** Options of {@link ReactionError}. */
export interface ReactionErrorOptions {
  readonly code: ReactionErrorCode;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** An error of this package. Tell errors apart by class or by `code`, never by message. */
export class ReactionError extends Error {
  static {
    this.prototype.name = "ReactionError";
  }

  /** Literal code of the kind of failure. */
  readonly code: ReactionErrorCode;

  constructor(message: string, options: ReactionErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
  }
}

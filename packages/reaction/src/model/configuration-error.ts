import { ReactionError } from "./reaction-error.ts";

/** Wrong options of a definition or of `createReaction`: the message names the path of every bad value. */
export class ConfigurationError extends ReactionError {
  static {
    this.prototype.name = "ConfigurationError";
  }

  declare readonly code: "configuration";

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: "configuration" });
  }
}

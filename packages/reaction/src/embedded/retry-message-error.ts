import { ReactionError } from "../model/reaction-error.ts";

/** What the attempt of a message fails with that is to be delivered again. No fault: its consumer asked for it. */
export class RetryMessageError extends ReactionError {
  static {
    this.prototype.name = "RetryMessageError";
  }

  declare readonly code: "retry";

  constructor() {
    super("the consumer asked for another delivery", { code: "retry" });
  }
}

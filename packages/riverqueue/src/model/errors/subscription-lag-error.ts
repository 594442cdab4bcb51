import { RIVER_ERROR_CODE } from "./river-error-code.ts";
import { RiverError } from "./river-error.ts";

/** A subscriber read too slowly and its oldest events were dropped. */
export class SubscriptionLagError extends RiverError {
  static {
    this.prototype.name = "SubscriptionLagError";
  }

  declare readonly code: "subscription_lag";
  /** How many events were dropped since the last report. */
  readonly dropped: number;

  constructor(dropped: number) {
    super(`subscription dropped ${dropped} ${dropped === 1 ? "event" : "events"} that were not read in time`, {
      code: RIVER_ERROR_CODE.subscriptionLag,
    });
    this.dropped = dropped;
  }
}

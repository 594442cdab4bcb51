/** Which running attempts were asked to cancel. */
import { parseTime } from "../record/canonical-time.ts";
import type { Unit } from "../scope/unit.ts";
import { CANCEL_REQUESTED } from "../sql/jobs/cancel-requested.ts";

/** Of the given attempts of `clientId`, those whose mark is not older than their claim: an old one was meant for an earlier attempt. */
export function cancelRequests(unit: Unit, clientId: string, ids: readonly bigint[]): bigint[] {
  return unit.connection
    .rows(CANCEL_REQUESTED, `[${ids.join(",")}]`, clientId)
    .filter(([, attemptedAt, mark]) => isFresh(attemptedAt as string, mark as string))
    .map(([id]) => id as bigint);
}

function isFresh(attemptedAt: string, mark: string): boolean {
  const claimed = parseTime(attemptedAt);
  const requested = parseTime(mark);
  return claimed !== null && requested !== null && Temporal.Instant.compare(requested, claimed) >= 0;
}

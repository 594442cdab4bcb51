/** Which running attempts were asked to cancel. */
import { formatArray } from "../record/pg-array.ts";
import { parseTime } from "../record/pg-time.ts";
import type { Unit } from "../scope/unit.ts";
import { CANCEL_REQUESTED } from "../sql/jobs/cancel-requested.ts";

/** Of the given attempts of `clientId`, those whose mark is not older than their claim: an old one was meant for an earlier attempt. */
export async function cancelRequests(unit: Unit, clientId: string, ids: readonly bigint[]): Promise<bigint[]> {
  const rows = await unit.rows(CANCEL_REQUESTED, formatArray(ids.map(String)), clientId);
  return rows.filter(([, attemptedAt, mark]) => isFresh(attemptedAt, mark)).map(([id]) => BigInt(id ?? 0));
}

function isFresh(attemptedAt: string | null | undefined, mark: string | null | undefined): boolean {
  const claimed = parseTime(attemptedAt ?? "");
  const requested = parseMark(mark ?? "");
  return claimed !== null && requested !== null && Temporal.Instant.compare(requested, claimed) >= 0;
}

/** Marks are RFC 3339, of any offset and precision. */
function parseMark(text: string): Temporal.Instant | null {
  try {
    return Temporal.Instant.from(text);
  } catch {
    return null;
  }
}

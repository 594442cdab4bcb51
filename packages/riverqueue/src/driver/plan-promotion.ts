/** Decides what becomes of due jobs, for every driver alike. Pure: rows and key holders in, three lists of rows out. */
import { bitmaskOfStates } from "../model/job-state.ts";

/** What the decision needs to know of a due row. */
export interface PromotableJob {
  readonly id: bigint;
  readonly uniqueStates: number | null;
  /** In hexadecimal; null when the job has no key. */
  readonly uniqueKey: string | null;
}

/** What to do with each row, in the order given. */
export interface PromotionPlan<Job extends PromotableJob> {
  readonly promote: readonly Job[];
  /** Another row holds their key. */
  readonly discard: readonly Job[];
  /** Another row holds their key, and they would hold it as well once discarded: no state they may go to is free. */
  readonly skip: readonly Job[];
}

const AVAILABLE = bitmaskOfStates(["available"]);
const DISCARDED = bitmaskOfStates(["discarded"]);

/**
 * Goes through `due` in order; at most `limit` rows are promoted or discarded.
 *
 * A row that holds its key stays its holder. A row without a mask takes no part in uniqueness. Of several rows of a free
 * key the first gets it.
 *
 * @param holders - who holds the keys now, key in hexadecimal → ID.
 */
export function planPromotion<Job extends PromotableJob>(
  due: readonly Job[],
  holders: ReadonlyMap<string, bigint>,
  limit: number,
): PromotionPlan<Job> {
  const held = new Map(holders);
  const promote: Job[] = [];
  const discard: Job[] = [];
  const skip: Job[] = [];
  for (const job of due) {
    if (promote.length + discard.length === limit) break;
    const { id, uniqueKey, uniqueStates } = job;
    if (uniqueKey === null || uniqueStates === null) {
      promote.push(job);
      continue;
    }
    const holder = held.get(uniqueKey);
    if (holder === undefined || holder === id) {
      promote.push(job);
      if ((uniqueStates & AVAILABLE) !== 0) held.set(uniqueKey, id);
      else held.delete(uniqueKey);
    } else if ((uniqueStates & DISCARDED) === 0) discard.push(job);
    else skip.push(job);
  }
  return { promote, discard, skip };
}

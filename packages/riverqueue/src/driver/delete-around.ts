/** Deleting old rows after a deletion was refused for one of them: the others go, those behind it too. */
import { narrowDown, SplitBudget } from "./narrow-down.ts";
import type { Refusals } from "./refusals.ts";

/** Longest time in which further pages are begun, in milliseconds. */
const PAGING_MS = 10_000;

/** The two statements that it takes. Each is complete by itself. */
export interface DeleteAroundVerbs<Id> {
  /** The first `limit` old rows in order behind `after`, which is null at first, but for `except`. Locks nothing. */
  readonly old: (after: Id | null, limit: number, except: readonly Id[]) => Promise<readonly Id[]>;
  /** Deletes those of `ids` that are still old and that nobody holds; all or none. Null when the term is over. */
  readonly delete: (ids: readonly Id[]) => Promise<number | null>;
}

/**
 * How many rows were deleted; null when the term is over. Goes by pages, so that rows that cannot be deleted, however many,
 * do not hide those behind them.
 */
export async function deleteAround<Id>(
  limit: number,
  refusals: Refusals<Id> | undefined,
  { old, delete: remove }: DeleteAroundVerbs<Id>,
): Promise<number | null> {
  const until = performance.now() + PAGING_MS;
  const refuse = (id: Id, error: unknown): void => refusals?.note(id, error);
  let deleted = 0;
  let after: Id | null = null;
  for (;;) {
    const page: readonly Id[] = await old(after, limit, refusals?.known ?? []);
    const counts: (number | null)[] = [];
    const act = async (ids: readonly Id[]): Promise<void> => void counts.push(await remove(ids));
    // Also without rows: that the term is over has to be found out.
    await (page.length === 0 ? act([]) : narrowDown(page, act, new SplitBudget(), refuse));
    for (const count of counts) {
      if (count === null) return null;
      deleted += count;
    }
    if (page.length < limit || deleted >= limit || performance.now() >= until) return deleted;
    after = page.at(-1) ?? after;
  }
}

/** Claiming after a claim was refused for one of its rows: the bad row is found, named and passed over. */
import { narrowDown, SplitBudget } from "./narrow-down.ts";
import type { Refusals } from "./refusals.ts";

/** The two statements that it takes. Each is complete by itself. */
export interface ClaimAroundVerbs<Row> {
  /** The first `limit` due jobs in the order of claims but for `except`. Locks nothing. */
  readonly due: (limit: number, except: readonly bigint[]) => Promise<readonly bigint[]>;
  /** Claims those of `ids` that are still due and that nobody holds; all or none. */
  readonly claim: (ids: readonly bigint[]) => Promise<readonly Row[]>;
}

/** Up to `limit` claimed rows. Looks further as long as refused ones use up the limit and the budget lasts. */
export async function claimAround<Row>(
  limit: number,
  refusals: Refusals | undefined,
  { due, claim }: ClaimAroundVerbs<Row>,
): Promise<Row[]> {
  const claimed: Row[] = [];
  const except = [...(refusals?.known ?? [])];
  const budget = new SplitBudget();
  const refuse = (id: bigint, error: unknown): void => {
    except.push(id);
    refusals?.note(id, error);
  };
  try {
    while (claimed.length < limit && !budget.isSpent) {
      const [wanted, before] = [limit - claimed.length, except.length];
      const ids = await due(wanted, except);
      await narrowDown(ids, async (part) => claimed.push(...(await claim(part))), budget, refuse);
      if (ids.length < wanted || except.length === before) break;
    }
  } catch (error) {
    // What was claimed is committed and must be worked; the next claim meets the failure again.
    if (claimed.length === 0) throw error;
  }
  return claimed;
}

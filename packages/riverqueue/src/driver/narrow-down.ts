/** Does something to many jobs of which the database refuses some: by halves, down to the jobs that are to blame. */
import { DatabaseOperationError } from "../model/errors/database-operation-error.ts";

/** Halvings of one call, and the time in milliseconds after which it makes no more. */
const [SPLITS, SPLITTING_MS] = [64, 2_000];

/** How much narrowing down may cost: a table that refuses everything must not be asked about every single row. */
export class SplitBudget {
  readonly #until = performance.now() + SPLITTING_MS;
  #left = SPLITS;

  get isSpent(): boolean {
    return this.#left <= 0 || performance.now() >= this.#until;
  }

  /** Whether one more part may be halved. */
  take(): boolean {
    if (this.isSpent) return false;
    this.#left--;
    return true;
  }
}

/**
 * Calls `act` for all jobs, and where one of them spoils it, for ever smaller parts in the same order. When the budget is
 * spent every part that is left is still tried once, as a whole.
 *
 * @param act - does all of its jobs or none.
 * @param onRefused - told about single jobs that were refused.
 * @throws what `act` rejects with when no row is to blame; parts before it are done.
 */
export async function narrowDown<Job>(
  jobs: readonly Job[],
  act: (jobs: readonly Job[]) => Promise<unknown>,
  budget: SplitBudget,
  onRefused: (job: Job, error: unknown) => void,
): Promise<void> {
  const [only] = jobs;
  if (only === undefined) return;
  try {
    await act(jobs);
  } catch (error) {
    if (!(error instanceof DatabaseOperationError) || error.details["rowCaused"] !== true) throw error;
    if (jobs.length === 1) onRefused(only, error);
    else if (budget.take()) {
      const middle = jobs.length >> 1;
      await narrowDown(jobs.slice(0, middle), act, budget, onRefused);
      await narrowDown(jobs.slice(middle), act, budget, onRefused);
    }
  }
}

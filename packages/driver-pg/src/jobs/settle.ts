/** The verb `settle`: how few statements a batch can be written with. */
import {
  DatabaseOperationError,
  type DriverCall,
  type SettledJob,
  type Settlement,
  type SettleJobsParams,
} from "riverqueue/driver";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import { completeOwned, findCompleted, GENERAL_ROWS, isOneCompletion, settleAny, settleMixed } from "./settle-jobs.ts";

type Call = DriverCall<PgTransaction> | undefined;

const OPERATION = "jobs.settle";

/** Writes the settlements; one result each, in the order of the request. */
export async function settle(runner: PgRunner, params: SettleJobsParams, call: Call): Promise<readonly SettledJob[]> {
  const { settlements, wantRows } = params;
  if (settlements.length === 0) return [];
  if (isOneCompletion(params)) return inOrder(params, await completeAll(runner, params, call));
  const [only] = settlements;
  if (only !== undefined && settlements.length === 1)
    return runner.use(OPERATION, call, (unit) => settleAny(unit, [only]));
  const settled = await runner.transact(OPERATION, call, (unit) => settleMixed(unit, { settlements, wantRows }));
  return inOrder(params, settled);
}

/**
 * Rows that the first statement did not find owned are looked at: most were completed in a transaction of their handlers,
 * which is found out without locks or reading them; what is left goes through the general statement.
 */
async function completeAll(runner: PgRunner, params: SettleJobsParams, call: Call): Promise<SettledJob[]> {
  const settled = await runner.use(OPERATION, call, (unit) => completeOwned(unit, params));
  if (settled.length === params.settlements.length) return settled;
  const rest = without(params.settlements, settled);
  try {
    const looked = await runner.use(OPERATION, call, async (unit) => {
      const plain = params.wantRows ? [] : rest.filter(({ metadata }) => metadata === null);
      const completed = await findCompleted(unit, plain);
      return [...completed, ...(await settleAny(unit, without(rest, completed).slice(0, GENERAL_ROWS)))];
    });
    return [...settled, ...looked];
  } catch (error) {
    // What the first statement wrote is committed and must be reported. Nothing was written of the rest.
    if (call?.scope !== undefined || !(error instanceof DatabaseOperationError && error.retryable)) throw error;
    return settled;
  }
}

function without(settlements: readonly Settlement[], done: readonly SettledJob[]): readonly Settlement[] {
  const ids = new Set(done.map(({ id }) => id));
  return settlements.filter(({ id }) => !ids.has(id));
}

/** Settlements without a result were not looked at: they are to be settled again, as if their rows were locked. */
function inOrder({ settlements }: SettleJobsParams, settled: readonly SettledJob[]): readonly SettledJob[] {
  const byId = new Map(settled.map((result) => [result.id, result]));
  return settlements.map(({ id }) => byId.get(id) ?? { id, outcome: "locked", state: null, job: null });
}

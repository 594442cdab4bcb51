/** Asks whoever leads to resign. */
import { requestResignNotice } from "../driver/notice.ts";
import type { TransactionOptions } from "../insert/transaction-options.ts";
import { driverCall, type OperationsContext, readTx, runtimeDriverOf } from "../operations/operations-context.ts";
import { OptionProblems } from "../options/option-problems.ts";

/** Sends the request, in the caller's transaction if one is given. Clients that only poll do not hear it. */
export async function requestResignation<Tx>(
  context: OperationsContext<Tx>,
  options: TransactionOptions<Tx> = {},
): Promise<void> {
  const driver = runtimeDriverOf(context, "leadership");
  const problems = new OptionProblems();
  const tx = readTx(problems, problems.object(options, "", ["tx"])["tx"]) as Tx | undefined;
  problems.throwValidation();
  await driver.notices.send({ notices: [requestResignNotice()] }, driverCall(context, tx));
}

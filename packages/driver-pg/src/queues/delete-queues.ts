/** Deleting queues that nobody has kept alive. */
import { deleteAround, type DeleteQueuesParams, type DriverCall } from "riverqueue/driver";
import type { SqlTemplate } from "../connection/dialect.ts";
import { isRowCaused } from "../connection/pg-failure.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { fencedCount, fenceValues } from "../leader/leader-term.ts";
import { formatArray } from "../record/pg-array.ts";
import { formatTime } from "../record/pg-time.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import type { Unit } from "../scope/unit.ts";
import { DELETE_EXPIRED_QUEUES, DELETE_QUEUES, EXPIRED_QUEUES } from "../sql/queues/delete-expired.ts";

/** The number of rows deleted; null when the term is over. A row that cannot be deleted costs only itself. */
export async function deleteQueues(
  runner: PgRunner,
  { term, before, limit, refusals }: DeleteQueuesParams,
  call: DriverCall<PgTransaction> | undefined,
): Promise<number | null> {
  const time = formatTime(before);
  const use = <T>(body: (unit: Unit) => Promise<T>): Promise<T> => runner.use("queues.deleteExpired", call, body);
  const deletion = (template: SqlTemplate, which: string): Promise<number | null> =>
    use(async (unit) => fencedCount(await unit.row(template, ...fenceValues(unit, term), time, which)));
  if ((refusals?.known ?? []).length === 0) {
    try {
      return await deletion(DELETE_EXPIRED_QUEUES, String(limit));
    } catch (error) {
      if (!isRowCaused(error)) throw error;
    }
  }
  return deleteAround<string>(limit, refusals, {
    old: (after, count, except) =>
      use(async (unit) => {
        const rows = await unit.rows(EXPIRED_QUEUES, time, after ?? "", formatArray(except), String(count));
        return rows.map(([name]) => name ?? "");
      }),
    delete: (names) => deletion(DELETE_QUEUES, formatArray(names)),
  });
}

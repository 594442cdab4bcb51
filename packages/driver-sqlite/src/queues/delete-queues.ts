/** Deleting queues that nobody has kept alive. */
import type { DatabaseSync } from "node:sqlite";
import { deleteAround, type DeleteQueuesParams, type DriverCall } from "riverqueue/driver";
import { isRowCaused } from "../connection/sqlite-failure.ts";
import { holdsTerm } from "../leader/fence.ts";
import { formatTime } from "../record/canonical-time.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { DELETE_EXPIRED_QUEUES, DELETE_QUEUES, EXPIRED_QUEUES } from "../sql/queues/delete-expired.ts";

const OPERATION = "queues.deleteExpired";

/** The number of rows deleted; null when the term is over. A row that cannot be deleted costs only itself. */
export async function deleteQueues(
  runner: UnitRunner,
  { term, before, limit, refusals }: DeleteQueuesParams,
  call: DriverCall<DatabaseSync> | undefined,
): Promise<number | null> {
  const time = formatTime(before);
  const deletion = (text: string, which: number | string): Promise<number | null> =>
    runner.transact(OPERATION, call, (unit) =>
      holdsTerm(unit, term) ? unit.connection.change(text, time, which) : null,
    );
  if ((refusals?.known ?? []).length === 0) {
    try {
      return await deletion(DELETE_EXPIRED_QUEUES, limit);
    } catch (error) {
      if (!isRowCaused(error)) throw error;
    }
  }
  return deleteAround<string>(limit, refusals, {
    old: (after, count, except) =>
      runner.read(OPERATION, call, ({ connection }) => {
        const rows = connection.rows(EXPIRED_QUEUES, time, count, after ?? "", JSON.stringify(except));
        return rows.map(([name]) => String(name));
      }),
    delete: (names) => deletion(DELETE_QUEUES, JSON.stringify(names)),
  });
}

/** The queue registry on Postgres. */
import {
  metadataChangedNotice,
  pauseNotice,
  resumeNotice,
  type DriverCall,
  type LeaderTerm,
  type Notice,
  type QueueRecord,
  type QueuesFacet,
} from "riverqueue/driver";
import type { SqlTemplate } from "../connection/dialect.ts";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { fencedCount, fenceValues } from "../leader/leader-term.ts";
import { noticesJson } from "../notices/notices-json.ts";
import { formatArray } from "../record/pg-array.ts";
import { formatTime } from "../record/pg-time.ts";
import { queueRecord } from "../record/queue-record.ts";
import type { Runners } from "../scope/runners.ts";
import { DELETE_EXPIRED_QUEUES } from "../sql/queues/delete-expired.ts";
import { GET_QUEUES } from "../sql/queues/get.ts";
import { KEEP_ALIVE } from "../sql/queues/keep-alive.ts";
import { LIST_QUEUES } from "../sql/queues/list.ts";
import { PAUSE } from "../sql/queues/pause.ts";
import { RESUME } from "../sql/queues/resume.ts";
import { UPDATE_QUEUE } from "../sql/queues/update.ts";

type Call = DriverCall<PgTransaction>;

/** Queue verbs of the Postgres driver. */
export class PgQueues implements QueuesFacet<PgTransaction> {
  readonly #runners: Runners;

  constructor(runners: Runners) {
    this.#runners = runners;
  }

  keepAlive({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord> {
    return this.#runners.control.use("queues.keepAlive", call, async (unit) => {
      const row = await unit.row(KEEP_ALIVE, name, unit.now);
      if (row === undefined) throw new RangeError("the database returned no row for an upsert");
      return queueRecord(row);
    });
  }

  async get({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    return (await this.#find("queues.get", [name], call))[0] ?? null;
  }

  getMany({ names }: { readonly names: readonly string[] }, call?: Call): Promise<readonly QueueRecord[]> {
    return this.#find("queues.getMany", names, call);
  }

  list(
    { after, limit }: { readonly after: string | null; readonly limit: number },
    call?: Call,
  ): Promise<readonly QueueRecord[]> {
    return this.#runners.control.use("queues.list", call, async (unit) =>
      (await unit.rows(LIST_QUEUES, after ?? "", String(limit))).map(queueRecord),
    );
  }

  pause({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    return this.#control("queues.pause", PAUSE, name, [pauseNotice(name)], [], call);
  }

  resume({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    return this.#control("queues.resume", RESUME, name, [resumeNotice(name)], [], call);
  }

  update(
    { name, metadata }: { readonly name: string; readonly metadata: string | null },
    call?: Call,
  ): Promise<QueueRecord | null> {
    const notices = metadata === null ? [] : [metadataChangedNotice(name, metadata)];
    return this.#control("queues.update", UPDATE_QUEUE, name, notices, [metadata], call);
  }

  deleteExpired(
    { term, before, limit }: { readonly term: LeaderTerm; readonly before: Temporal.Instant; readonly limit: number },
    call?: Call,
  ): Promise<number | null> {
    return this.#runners.maintenance.use("queues.deleteExpired", call, async (unit) =>
      fencedCount(await unit.row(DELETE_EXPIRED_QUEUES, ...fenceValues(unit, term), formatTime(before), String(limit))),
    );
  }

  #find(operation: string, names: readonly string[], call: Call | undefined): Promise<readonly QueueRecord[]> {
    return this.#runners.control.use(operation, call, async (unit) =>
      (await unit.rows(GET_QUEUES, formatArray(names))).map(queueRecord),
    );
  }

  #control(
    operation: string,
    template: SqlTemplate,
    name: string,
    notices: readonly Notice[],
    values: readonly PgValue[],
    call: Call | undefined,
  ): Promise<QueueRecord | null> {
    return this.#runners.control.use(operation, call, async (unit) => {
      const row = await unit.row(template, name, unit.now, noticesJson(notices), ...values);
      return name === "*" || isAbsent(row) ? null : queueRecord(row);
    });
  }
}

/** The outer join found no queue. */
function isAbsent(row: PgRow | undefined): row is undefined {
  return row === undefined || row[0] === null;
}

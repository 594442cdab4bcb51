/** The queue registry on Postgres. */
import {
  DatabaseOperationError,
  type DeleteQueuesParams,
  metadataChangedNotice,
  pauseNotice,
  resumeNotice,
  type DriverCall,
  type Notice,
  type QueueRecord,
  type QueuesFacet,
} from "riverqueue/driver";
import type { SqlTemplate } from "../connection/dialect.ts";
import type { PgRow, PgValue } from "../connection/pg-connection.ts";
import { operationError } from "../connection/pg-failure.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { deleteQueues } from "../queues/delete-queues.ts";
import { noticesJson } from "../notices/notices-json.ts";
import { formatArray } from "../record/pg-array.ts";
import { queueRecord } from "../record/queue-record.ts";
import type { Runners } from "../scope/runners.ts";
import { GET_QUEUES } from "../sql/queues/get.ts";
import { KEEP_ALIVE } from "../sql/queues/keep-alive.ts";
import { LIST_QUEUES } from "../sql/queues/list.ts";
import { PAUSE, PAUSE_FREE } from "../sql/queues/pause.ts";
import { RESUME, RESUME_FREE } from "../sql/queues/resume.ts";
import { UPDATE_QUEUE } from "../sql/queues/update.ts";

type Call = DriverCall<PgTransaction>;

/** The second finds the row that somebody made during the first, unless it has been deleted since. */
const KEEP_ALIVE_TRIES = 5;
/** Longest time that rows held by others are waited for when all queues are meant, in milliseconds. */
const LOCKED_LIMIT_MS = 10_000;

/** Queue verbs of the Postgres driver. */
export class PgQueues implements QueuesFacet<PgTransaction> {
  readonly #runners: Runners;

  constructor(runners: Runners) {
    this.#runners = runners;
  }

  keepAlive({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord> {
    return this.#runners.control.use("queues.keepAlive", call, async (unit) => {
      for (let tries = 1; tries <= KEEP_ALIVE_TRIES; tries++) {
        const row = await unit.row(KEEP_ALIVE, name, unit.now);
        if (row !== undefined) return queueRecord(row);
      }
      throw operationError("lock", "queues.keepAlive", { text: "the row is made and deleted again and again" });
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
    if (name === "*" && call?.scope === undefined) return this.#controlAll("queues.pause", PAUSE_FREE, PAUSE, call);
    return this.#control("queues.pause", PAUSE, name, [pauseNotice(name)], [], call);
  }

  resume({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    if (name === "*" && call?.scope === undefined) return this.#controlAll("queues.resume", RESUME_FREE, RESUME, call);
    return this.#control("queues.resume", RESUME, name, [resumeNotice(name)], [], call);
  }

  update(
    { name, metadata }: { readonly name: string; readonly metadata: string | null },
    call?: Call,
  ): Promise<QueueRecord | null> {
    const notices = metadata === null ? [] : [metadataChangedNotice(name, metadata)];
    return this.#control("queues.update", UPDATE_QUEUE, name, notices, [metadata], call);
  }

  deleteExpired(params: DeleteQueuesParams, call?: Call): Promise<number | null> {
    return deleteQueues(this.#runners.maintenance, params, call);
  }

  #find(operation: string, names: readonly string[], call: Call | undefined): Promise<readonly QueueRecord[]> {
    return this.#runners.control.use(operation, call, async (unit) =>
      (await unit.rows(GET_QUEUES, formatArray(names))).map(queueRecord),
    );
  }

  /**
   * A row that somebody holds must not keep the other queues from being paused or resumed: it is waited for when they are
   * done. In a transaction of the caller's, where the locks stay, that could end in a deadlock, so there one statement waits
   * for all in order.
   */
  async #controlAll(operation: string, free: SqlTemplate, all: SqlTemplate, call: Call | undefined): Promise<null> {
    const notice = operation === "queues.pause" ? pauseNotice("*") : resumeNotice("*");
    const locked = await this.#runners.control.use(operation, call, async (unit) =>
      Number((await unit.row(free, "*", unit.now, noticesJson([notice])))?.[0]),
    );
    if (locked === 0) return null;
    const limited = { ...call, timeoutMs: call?.timeoutMs ?? LOCKED_LIMIT_MS };
    try {
      // Not among the short statements, which would have to wait with it.
      await this.#runners.maintenance.use(operation, limited, (unit) =>
        unit.row(all, "*", unit.now, noticesJson([notice])),
      );
    } catch (error) {
      if (!isWaitTooLong(error)) throw error;
      const queues = locked === 1 ? "one queue" : `${locked} queues`;
      const text = `another session holds the rows of ${queues}; the other queues are done`;
      throw operationError("lock", operation, { text, cause: error.cause });
    }
    return null;
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

/** A lock could not be had in the time there was. */
function isWaitTooLong(error: unknown): error is DatabaseOperationError {
  return error instanceof DatabaseOperationError && ["lock", "timeout"].includes(String(error.details["reason"]));
}

/** The outer join found no queue. */
function isAbsent(row: PgRow | undefined): row is undefined {
  return row === undefined || row[0] === null;
}

/** The queue registry on SQLite. */
import type { DatabaseSync } from "node:sqlite";
import {
  type DeleteQueuesParams,
  metadataChangedNotice,
  pauseNotice,
  resumeNotice,
  type DriverCall,
  type Notice,
  type QueueRecord,
  type QueuesFacet,
} from "riverqueue/driver";
import { deleteQueues } from "../queues/delete-queues.ts";
import { queueRecord } from "../record/queue-record.ts";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { GET_QUEUES } from "../sql/queues/get.ts";
import { KEEP_ALIVE } from "../sql/queues/keep-alive.ts";
import { LIST_QUEUES } from "../sql/queues/list.ts";
import { PAUSE } from "../sql/queues/pause.ts";
import { RESUME } from "../sql/queues/resume.ts";
import { UPDATE_QUEUE } from "../sql/queues/update.ts";

type Call = DriverCall<DatabaseSync>;

/** Queue verbs of the SQLite driver. */
export class SqliteQueues implements QueuesFacet<DatabaseSync> {
  readonly #runner: UnitRunner;

  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  keepAlive({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord> {
    return this.#runner.change("queues.keepAlive", call, ({ connection, now }) => {
      const row = connection.row(KEEP_ALIVE, name, now);
      if (row === undefined) throw new RangeError("the database returned no row for an upsert");
      return queueRecord(row);
    });
  }

  get({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    return this.#runner.read("queues.get", call, (unit) => find(unit, [name])[0] ?? null);
  }

  getMany({ names }: { readonly names: readonly string[] }, call?: Call): Promise<readonly QueueRecord[]> {
    return this.#runner.read("queues.getMany", call, (unit) => find(unit, names));
  }

  list(
    { after, limit }: { readonly after: string | null; readonly limit: number },
    call?: Call,
  ): Promise<readonly QueueRecord[]> {
    return this.#runner.read("queues.list", call, ({ connection }) =>
      connection.rows(LIST_QUEUES, after ?? "", limit).map(queueRecord),
    );
  }

  pause({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    return this.#control("queues.pause", PAUSE, name, pauseNotice(name), call);
  }

  resume({ name }: { readonly name: string }, call?: Call): Promise<QueueRecord | null> {
    return this.#control("queues.resume", RESUME, name, resumeNotice(name), call);
  }

  update(
    { name, metadata }: { readonly name: string; readonly metadata: string | null },
    call?: Call,
  ): Promise<QueueRecord | null> {
    return this.#runner.transact("queues.update", call, (unit) => {
      const row = unit.connection.row(UPDATE_QUEUE, name, metadata, unit.now);
      if (row === undefined) return null;
      if (metadata !== null) unit.send([metadataChangedNotice(name, metadata)]);
      return queueRecord(row);
    });
  }

  deleteExpired(params: DeleteQueuesParams, call?: Call): Promise<number | null> {
    return deleteQueues(this.#runner, params, call);
  }

  /** Every queue (`*`) is told even if there is no row; a queue by name only if it exists. */
  #control(
    operation: string,
    text: string,
    name: string,
    notice: Notice,
    call: Call | undefined,
  ): Promise<QueueRecord | null> {
    return this.#runner.transact(operation, call, (unit) => {
      const [row] = unit.connection.rows(text, name, unit.now);
      if (name === "*") {
        unit.send([notice]);
        return null;
      }
      if (row === undefined) return null;
      unit.send([notice]);
      return queueRecord(row);
    });
  }
}

function find({ connection }: Unit, names: readonly string[]): QueueRecord[] {
  return connection.rows(GET_QUEUES, JSON.stringify(names)).map(queueRecord);
}

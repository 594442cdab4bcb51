/** The ceiling on SQLite: statements by hand over `node:sqlite`. They may be made faster, and never slower. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { argsOf, BATCH, type Contender, inFlight, measureLatencies } from "./contender.ts";

const COLUMNS = "(args, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags)";
const INSERT_MANY = `INSERT INTO river_job ${COLUMNS}
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
  FROM json_each(?)`;
const INSERT_ONE = `INSERT INTO river_job ${COLUMNS} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CLAIM = `UPDATE river_job
  SET state = 'running', attempt = attempt + 1, attempted_at = ?,
    attempted_by = json_insert(coalesce(attempted_by, '[]'), '$[#]', ?)
  WHERE id IN (
    SELECT id FROM river_job WHERE state = 'available' AND queue = ? AND scheduled_at <= ?
    ORDER BY priority, scheduled_at, id LIMIT ?
  ) RETURNING *`;
const COMPLETE = `UPDATE river_job SET state = 'completed', finalized_at = ?
  WHERE id IN (SELECT value FROM json_each(?)) AND state = 'running'`;

/** Jobs a claim where there is only one to come. */
const FEW = 10;

/** See the file header. */
export class RawSqlite implements Contender {
  readonly #insertMany: StatementSync;
  readonly #insertOne: StatementSync;
  readonly #claim: StatementSync;
  readonly #complete: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insertMany = database.prepare(INSERT_MANY);
    this.#insertOne = database.prepare(INSERT_ONE);
    this.#claim = database.prepare(CLAIM);
    this.#complete = database.prepare(COMPLETE);
  }

  insertMany(count: number): Promise<void> {
    for (let first = 0; first < count; first += BATCH) {
      this.#insert(Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index));
    }
    return Promise.resolve();
  }

  insertEach(count: number): Promise<void> {
    for (let n = 0; n < count; n++) this.#insertOne.run(...valuesOf(n, stamp()));
    return Promise.resolve();
  }

  /** Calls of one turn of the event loop share a statement. */
  async insertInFlight(count: number, width: number): Promise<void> {
    let waiting: { readonly n: number; readonly done: () => void }[] = [];
    await inFlight(count, width, (n) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ n, done: resolve });
      if (waiting.length > 1) return promise;
      queueMicrotask(() => {
        const batch = waiting;
        waiting = [];
        this.#insert(batch.map((call) => call.n));
        for (const { done } of batch) done();
      });
      return promise;
    });
  }

  drain(count: number): Promise<void> {
    for (let done = 0; done < count;) {
      const at = stamp();
      const rows = this.#claim.all(at, "w1", "default", at, BATCH);
      if (rows.length === 0) throw new Error(`nothing left after ${done} jobs`);
      done += rows.length;
      this.#end(rows);
    }
    return Promise.resolve();
  }

  /** Worker and producer are one process, so that one wakes the other directly. */
  latencies(count: number): Promise<number[]> {
    let listener: ((at: number) => void) | null = null;
    const work = (): void => {
      const at = stamp();
      const rows = this.#claim.all(at, "w1", "default", at, FEW);
      listener?.(performance.now());
      this.#end(rows);
    };
    const insert = (n: number): Promise<void> => {
      this.#insertOne.run(...valuesOf(n, stamp()));
      queueMicrotask(work);
      return Promise.resolve();
    };
    return measureLatencies(count, insert, (next) => (listener = next));
  }

  /** The database is its owner's to close. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #end(rows: readonly Readonly<Record<string, unknown>>[]): void {
    this.#complete.run(stamp(), JSON.stringify(rows.map(({ id }) => id)));
  }

  #insert(numbers: readonly number[]): void {
    const at = stamp();
    this.#insertMany.run(JSON.stringify(numbers.map((n) => valuesOf(n, at))));
  }
}

function valuesOf(n: number, at: string): (number | string)[] {
  return [JSON.stringify(argsOf(n)), "noop", 25, "{}", 1, "default", "available", at, "[]"];
}

/** The time as River stores it. */
function stamp(): string {
  return new Date().toISOString().replace("T", " ").slice(0, 23);
}

/**
 * The ceiling on Postgres: statements by hand over `pg`, with no more around them than it takes to run them. They may be
 * made faster, and never slower.
 */
import { Client, type ClientConfig, type QueryResult } from "pg";
import { argsOf, BATCH, type Contender, inFlight, measureLatencies } from "./contender.ts";

const COLUMNS = "(args, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags)";
const INSERT_MANY = `INSERT INTO river_job ${COLUMNS}
  SELECT a.args, a.kind, a.ma, a.md, a.prio, a.q, coalesce(a.sched, now()), a.st, string_to_array(a.tags, ',')
  FROM unnest($1::jsonb[], $2::text[], $3::smallint[], $4::jsonb[], $5::smallint[], $6::text[], $7::timestamptz[],
    $8::river_job_state[], $9::text[]) AS a (args, kind, ma, md, prio, q, sched, st, tags)`;
const INSERT_ONE = `INSERT INTO river_job ${COLUMNS} VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, now()), $8, $9) RETURNING *`;
const CHANNEL = "river_ceiling";
const INSERT_AND_NOTIFY = `WITH job AS (${INSERT_ONE}) SELECT job.*, pg_notify('${CHANNEL}', '') FROM job`;
const CLAIM = `UPDATE river_job
  SET state = 'running', attempt = attempt + 1, attempted_at = now(), attempted_by = array_append(attempted_by, $3)
  WHERE id = ANY (ARRAY(
    SELECT id FROM river_job WHERE state = 'available' AND queue = $1 AND scheduled_at <= now()
    ORDER BY priority, scheduled_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING *`;
const COMPLETE = `UPDATE river_job SET state = 'completed', finalized_at = now()
  WHERE id = ANY ($1::bigint[]) AND state = 'running'`;

/** Jobs a claim where there is only one to come. */
const FEW = 10;
/** Batches between their claim and the end of their completion. */
const OVERLAP = 2;

/** Dates and JSON stay text: what reading them costs is no part of the ceiling. */
const AS_TEXT: ClientConfig = { types: { getTypeParser: () => (text: string | Buffer) => text } };

type Row = Readonly<Record<string, string>>;
type Literals = readonly (string | null)[];

/** See the file header. */
export class RawPostgres implements Contender {
  readonly #claims: Client;
  readonly #writes: Client;
  readonly #listens: Client;

  private constructor([claims, writes, listens]: readonly [Client, Client, Client]) {
    this.#claims = claims;
    this.#writes = writes;
    this.#listens = listens;
  }

  static async open(connectionString: string): Promise<RawPostgres> {
    const connect = (): Promise<Client> => new Client({ connectionString, ...AS_TEXT }).connect();
    return new RawPostgres([await connect(), await connect(), await connect()]);
  }

  async insertMany(count: number): Promise<void> {
    for (let first = 0; first < count; first += BATCH) {
      await this.#insert(Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index));
    }
  }

  async insertEach(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      await this.#writes.query({ name: "insert one", text: INSERT_ONE, values: valuesOf(n) });
    }
  }

  /** One connection inserts and notifies, one listens, and one claims and completes. */
  async latencies(count: number): Promise<number[]> {
    let listener: ((at: number) => void) | null = null;
    let due = false;
    let working = false;
    let last: Promise<void> = Promise.resolve();
    const work = async (): Promise<void> => {
      while (due) {
        due = false;
        const ids = await this.#claim(FEW);
        if (ids.length === 0) continue;
        listener?.(performance.now());
        await this.#claims.query({ name: "complete", text: COMPLETE, values: [literal(ids)] });
      }
      working = false;
    };
    this.#listens.on("notification", () => {
      due = true;
      if (working) return;
      working = true;
      last = work();
    });
    await this.#listens.query(`LISTEN ${CHANNEL}`);
    const samples = await measureLatencies(
      count,
      (n) => this.#writes.query({ name: "insert and notify", text: INSERT_AND_NOTIFY, values: valuesOf(n) }),
      (next) => (listener = next),
    );
    await last;
    return samples;
  }

  /** Calls that come while a statement runs share the next one. */
  async insertInFlight(count: number, width: number): Promise<void> {
    let waiting: { readonly n: number; readonly done: () => void }[] = [];
    let flushing = false;
    const flush = async (): Promise<void> => {
      if (flushing) return;
      flushing = true;
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await this.#insert(
          batch.map(({ n }) => n),
          " RETURNING *",
        );
        for (const { done } of batch) done();
      }
      flushing = false;
    };
    await inFlight(count, width, (n) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ n, done: resolve });
      if (!flushing) queueMicrotask(() => void flush());
      return promise;
    });
  }

  /** Claims on one connection and completes on the other. */
  async drain(count: number): Promise<void> {
    let claimed = 0;
    const pending = new Set<Promise<unknown>>();
    while (claimed < count) {
      const ids = await this.#claim(BATCH);
      if (ids.length === 0) throw new Error(`nothing left after ${claimed} jobs`);
      claimed += ids.length;
      const completing = this.#complete(ids);
      pending.add(completing);
      void completing.then(() => pending.delete(completing));
      while (pending.size >= OVERLAP) await Promise.race(pending);
    }
    await Promise.all(pending);
  }

  async close(): Promise<void> {
    for (const client of [this.#claims, this.#writes, this.#listens]) await client.end();
  }

  async #claim(limit: number): Promise<string[]> {
    const values = ["default", limit, "w1"];
    const { rows }: QueryResult<Row> = await this.#claims.query({ name: "claim", text: CLAIM, values });
    return rows.map(({ id = "" }) => id);
  }

  async #complete(ids: readonly string[]): Promise<void> {
    await this.#writes.query({ name: "complete", text: COMPLETE, values: [literal(ids)] });
  }

  async #insert(numbers: readonly number[], returning: string = ""): Promise<void> {
    const same = (value: string | null): Literals => numbers.map(() => value);
    const columns = [
      numbers.map((n) => JSON.stringify(argsOf(n))),
      ...["noop", "25", "{}", "1", "default", null, "available", ""].map(same),
    ];
    const text = INSERT_MANY + returning;
    await this.#writes.query({ name: `insert many${returning}`, text, values: columns.map(literal) });
  }
}

function valuesOf(n: number): (number | string | null)[] {
  return [JSON.stringify(argsOf(n)), "noop", 25, "{}", 1, "default", null, "available", "{}"];
}

/** The text of an array. */
function literal(values: Literals): string {
  const quoted = values.map((value) => (value === null ? "NULL" : `"${value.replaceAll(/[\\"]/g, "\\$&")}"`));
  return `{${quoted.join(",")}}`;
}

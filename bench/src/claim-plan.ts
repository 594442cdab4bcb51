/**
 * What the Postgres driver's claim costs: its plan, and server time and pages per claim, for several sizes of the table,
 * with and without another session that holds an old snapshot. Prints a table; the figures are in the header of the
 * statement.
 *
 *     node --conditions=@riverqueue/source bench/src/claim-plan.ts [--rows=1000,100000,1000000] [--batch=100] [--plans]
 *
 * It works in a database of its own, on the server of DATABASE_URL or on one that it starts.
 */
import { parseArgs } from "node:util";
import { PgDriver } from "@riverqueue/driver-pg";
import { createMigrator } from "@riverqueue/migrate";
import { Client, Pool, type PoolClient } from "pg";
import type { ClaimHint } from "riverqueue/driver";
import { openOwnPostgres } from "./own-postgres.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,100000,1000000" },
    batch: { type: "string", default: "100" },
    plans: { type: "boolean", default: false },
  },
});
const BATCH = Number(options.batch);
/** Share of the table that is claimed before the later claims are looked at. */
const DRAINED = 0.5;
/** Below so many claimed jobs the driver starts every claim at the front; `claim-jobs.ts` there says why. */
const RESUMES_AFTER = 1_000;
/** How often a claim may come too late to resume, as on a busy machine: the driver does so for a quarter of a second. */
const TRIES = 10;
/** What only the statement has that claims from behind a position. */
const FROM_BEHIND = "(due.priority, due.scheduled_at, due.id) >";

interface Explained {
  /** It was the statement that claims from behind a position. */
  readonly resumes: boolean;
  readonly ms: number;
  readonly pages: number;
  readonly plan: string;
}

interface StatementObject {
  readonly text: string;
  readonly values: unknown[];
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

interface ServerPlan {
  readonly "Execution Time": number;
  readonly Plan: PlanNode & { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number };
}

/** Claims through the driver, and has the server explain the statement that the driver sent instead of only running it. */
class ExplainingDriver {
  readonly driver: PgDriver;
  readonly #pool: Pool;
  #explained: Explained | null = null;
  #explaining = false;

  constructor(pool: Pool) {
    this.#pool = pool;
    pool.on("connect", (client) => this.#intercept(client));
    // The database is dropped while the last connections are closing.
    pool.on("error", () => {});
    this.driver = new PgDriver(pool);
  }

  /** One claim; the hint of the claim before makes it resume. */
  async claim(hint: ClaimHint | null): Promise<{ readonly count: number; readonly hint: ClaimHint | null }> {
    const params = { queue: "default", clientId: "bench", limit: BATCH, kinds: null, hint };
    const { jobs, hint: next } = await this.driver.jobs.claim(params);
    return { count: jobs.length, hint: next };
  }

  /** The costs of a claim from the front. */
  async explainFront(): Promise<Explained> {
    const { explained } = await this.#explain(null);
    if (explained.resumes) throw new Error("the claim did not start at the front");
    return explained;
  }

  /** The costs of a claim that goes on where the ones before it, of which `before` is the hint, have stopped. */
  async explainResumed(before: ClaimHint | null): Promise<Explained> {
    let hint = before;
    for (let tries = 0; tries < TRIES; tries++) {
      // The hint may be too old by now; that of a claim made right before is not.
      ({ hint } = await this.claim(hint));
      const { explained, hint: next } = await this.#explain(hint);
      if (explained.resumes) return explained;
      hint = next;
    }
    throw new Error(`none of ${TRIES} claims resumed`);
  }

  /** A claim whose first statement is explained before it is run. */
  async #explain(hint: ClaimHint | null): Promise<{ readonly explained: Explained; readonly hint: ClaimHint | null }> {
    this.#explained = null;
    this.#explaining = true;
    const { hint: next } = await this.claim(hint).finally(() => (this.#explaining = false));
    if (this.#explained === null) throw new Error("no claim was sent");
    return { explained: this.#explained, hint: next };
  }

  #intercept(client: PoolClient): void {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const send = async (...args: unknown[]): Promise<unknown> => {
      const { text, values } = (args[0] ?? {}) as Partial<StatementObject>;
      if (this.#explaining && this.#explained === null && text?.includes("SKIP LOCKED") && values !== undefined) {
        this.#explained = await explainWith(query, { text, values });
      }
      return query(...args);
    };
    client.query = send as unknown as PoolClient["query"];
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

async function explainWith(
  query: (...args: unknown[]) => Promise<unknown>,
  { text, values }: StatementObject,
): Promise<Explained> {
  await query("BEGIN");
  const result = await query({ text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values });
  await query("ROLLBACK");
  const [row] = (result as { readonly rows: readonly { readonly "QUERY PLAN": readonly ServerPlan[] }[] }).rows;
  const plan = row?.["QUERY PLAN"][0];
  if (plan === undefined) throw new Error("the server explained nothing");
  const pages = plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"];
  const resumes = text.includes(FROM_BEHIND);
  return { resumes, ms: plan["Execution Time"], pages, plan: shapeOf(plan.Plan).join(" < ") };
}

function shapeOf(node: PlanNode): string[] {
  const conditions = node["Index Cond"] === undefined ? "" : `: ${node["Index Cond"]}`;
  const index = node["Index Name"] === undefined ? "" : ` (${node["Index Name"]}${conditions})`;
  return [node["Node Type"] + index, ...(node.Plans ?? []).flatMap(shapeOf)];
}

async function measure(url: string, rows: number, held: boolean): Promise<void> {
  const explaining = new ExplainingDriver(new Pool({ connectionString: url, max: 2 }));
  const snapshot = new Client({ connectionString: url });
  await snapshot.connect();
  try {
    await prepare(snapshot, explaining, rows);
    if (held) await snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM river_leader");
    const first = await explaining.explainFront();
    const { claimed, perJob, hint } = await drain(explaining, Math.floor((rows * DRAINED) / BATCH));
    const front = await explaining.explainFront();
    const resumed = claimed < RESUMES_AFTER ? null : await explaining.explainResumed(hint);
    report(rows, held, [first, front, resumed], perJob);
  } finally {
    await snapshot.end();
    await explaining.end();
  }
}

async function prepare(client: Client, { driver }: ExplainingDriver, rows: number): Promise<void> {
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  await createMigrator(driver).migrateUp();
  await client.query(
    `INSERT INTO river_job (kind, args) SELECT 'noop', jsonb_build_object('n', n, 'msg', 'hello world')
      FROM generate_series(1, ${rows}) AS n`,
  );
  await client.query("VACUUM ANALYZE river_job");
}

async function drain(
  explaining: ExplainingDriver,
  claims: number,
): Promise<{ readonly claimed: number; readonly perJob: number; readonly hint: ClaimHint | null }> {
  const started = performance.now();
  let claimed = 0;
  let hint: ClaimHint | null = null;
  for (let done = 0; done < claims; done++) {
    const result = await explaining.claim(hint);
    claimed += result.count;
    ({ hint } = result);
  }
  return { claimed, perJob: ((performance.now() - started) * 1_000) / claimed, hint };
}

function report(
  rows: number,
  held: boolean,
  [first, front, resumed]: readonly [Explained, Explained, Explained | null],
  perJob: number,
): void {
  const cell = (explained: Explained | null): string =>
    explained === null ? "as from the front" : `${explained.ms.toFixed(1)} ms, ${explained.pages} pages`;
  const columns = [rows.toLocaleString("en"), held ? "held" : "none", cell(first), cell(front), cell(resumed)];
  console.log(`| ${columns.join(" | ")} | ${perJob.toFixed(1)} µs |`);
  if (!options.plans) return;
  for (const explained of [first, front, resumed]) if (explained) console.log(`    ${explained.plan}`);
}

const database = await openOwnPostgres();
console.log(`claims of ${BATCH}; later = after ${DRAINED * 100} % of the table was claimed`);
console.log("| rows | snapshot | first claim | later, from the front | later, resumed | whole claim a job |");
console.log("|---|---|---|---|---|---|");
for (const rows of options.rows.split(",").map(Number)) {
  for (const held of [false, true]) await measure(database.url, rows, held);
}
await database.close();

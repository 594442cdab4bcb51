/**
 * The way of a new job from a call to the database: check, encode, middleware, hooks, one write with its notices. Owns no
 * state of its own; decides nothing about jobs that exist.
 */
import type { InsertFaults } from "../definition/insert-faults.ts";
import type { InsertDurability, InsertOptions, NormalizedInsertOptions } from "../definition/insert-options.ts";
import type { JobDefinition, JobDefinitionInput } from "../definition/job-definition.ts";
import { INSERT_OPTION_NAMES } from "../definition/read-insert-options.ts";
import type { DriverCall, OwnScope } from "../driver/call.ts";
import type { InsertOnlyDriver } from "../driver/driver.ts";
import type { Environment } from "../kit/environment.ts";
import type { InsertContext, InsertHooks, InsertMiddleware } from "./insert-context.ts";
import type { CheckedInsertManyItems, InsertManyItem, InsertManyResults } from "./insert-many.ts";
import type { InsertResult } from "./insert-result.ts";
import type { PeriodicOccurrence } from "./job-preparer.ts";
import { JobPreparer } from "./job-preparer.ts";
import type { NoticeLimiter } from "./notice-limiter.ts";
import type { PreparedJob } from "./prepared-job.ts";
import { insertContextOf } from "./prepared-job.ts";
import { runInsertMiddleware } from "./run-insert-middleware.ts";
import type { TransactionOptions } from "./transaction-options.ts";
import { writeJobs } from "./write-jobs.ts";

/** What an inserter works with. */
export interface JobInserterDeps<Tx> {
  readonly driver: InsertOnlyDriver<Tx>;
  /** The client's `defaultInsertOptions`, checked. */
  readonly defaults: NormalizedInsertOptions;
  /** Outermost first; plugins' before the client's own. */
  readonly middleware: readonly InsertMiddleware[];
  /** In the order they run. */
  readonly hooks: readonly InsertHooks[];
  readonly environment: Environment;
  readonly noticeLimiter: NoticeLimiter;
  /** Told, after a commit of River's, in which queues jobs became available. */
  readonly onInserted: (queues: readonly string[]) => void;
  /** Told what was written, duplicates included; the transaction may still be undone. */
  readonly onWritten?: ((results: readonly InsertResult[]) => void) | undefined;
}

/** Runs an insertion in a transaction of River's; null when that came to nothing for a reason that is no failure. */
export type InsertTransaction = (
  body: (scope: OwnScope) => Promise<InsertResult[]>,
  durability: InsertDurability,
) => Promise<InsertResult[] | null>;

/** Findings after which the rest of a call is not looked at, so that the error stays readable. */
const REPORTED_FINDINGS = 100;
const SINGLE_PATHS = Object.freeze({ job: "definition", args: "args", options: "" });
const SINGLE_OPTION_NAMES: readonly string[] = Object.freeze([...INSERT_OPTION_NAMES, "tx"]);
const ITEM_NAMES: readonly string[] = Object.freeze(["job", "args", "options"]);
const MANY_OPTION_NAMES: readonly string[] = Object.freeze(["tx"]);

/** See the file header. */
export class JobInserter<Tx> {
  readonly #deps: JobInserterDeps<Tx>;
  /** Whether code of the application takes part in insertions. */
  readonly #extended: boolean;

  constructor(deps: JobInserterDeps<Tx>) {
    this.#deps = deps;
    const hooked = deps.hooks.some((hooks) => hooks.beforeInsert !== undefined || hooks.afterInsert !== undefined);
    this.#extended = hooked || deps.middleware.length > 0;
  }

  /**
   * Inserts one job.
   *
   * @throws ValidationError, JsonValueError or PayloadValidationError before anything is written.
   */
  async insert<Definition extends JobDefinition>(
    definition: Definition,
    args: JobDefinitionInput<Definition>,
    options?: InsertOptions & TransactionOptions<Tx>,
  ): Promise<InsertResult<JobDefinitionInput<Definition>>> {
    const preparer = this.#preparer();
    preparer.add({ definition, args, options, paths: SINGLE_PATHS, optionNames: SINGLE_OPTION_NAMES });
    const tx = readTransaction(preparer.faults, options) as Tx | undefined;
    const prepared = preparer.finish();
    const jobs = prepared instanceof Promise ? await prepared : prepared;
    const [result] = await this.#run("insert", jobs, { tx });
    return result as unknown as InsertResult<JobDefinitionInput<Definition>>;
  }

  /**
   * Inserts all items or none; results in order. An empty list makes no database call.
   *
   * @throws ValidationError, JsonValueError or PayloadValidationError naming what is wrong with every item, up to about 100
   *   findings, before anything is written.
   */
  async insertMany<Items extends readonly [] | readonly InsertManyItem[]>(
    items: CheckedInsertManyItems<Items>,
    options?: TransactionOptions<Tx>,
  ): Promise<InsertManyResults<Items>> {
    const preparer = this.#preparer();
    addItems(preparer, items);
    if (options !== undefined) preparer.faults.options.object(options, "options", MANY_OPTION_NAMES);
    const tx = readTransaction(preparer.faults, options, "options.") as Tx | undefined;
    const prepared = preparer.finish();
    const jobs = prepared instanceof Promise ? await prepared : prepared;
    return (await this.#run("insertMany", jobs, { tx })) as unknown as InsertManyResults<Items>;
  }

  /**
   * Checks and encodes one occurrence of a periodic job: `available` at the occurrence's time unless its options say
   * otherwise, and marked as periodic in its metadata.
   *
   * @throws as {@link insert}.
   */
  async preparePeriodic(
    definition: JobDefinition,
    args: unknown,
    options: unknown,
    occurrence: PeriodicOccurrence,
  ): Promise<PreparedJob> {
    const preparer = this.#preparer();
    preparer.add({ definition, args, options, paths: SINGLE_PATHS, occurrence });
    const [job] = await preparer.finish();
    return job as PreparedJob;
  }

  /** Inserts prepared jobs in a transaction given by `transact`, through middleware and hooks like any insertion. */
  async insertPrepared(
    jobs: readonly PreparedJob[],
    transact: InsertTransaction,
  ): Promise<readonly InsertResult[] | null> {
    const now = this.#deps.environment.databaseNow?.();
    const insert = (scope: OwnScope): Promise<InsertResult[]> => this.#inScope("insertMany", jobs, { now, scope });
    const results = await transact(insert, durabilityOf(jobs));
    if (results !== null) this.#deps.onInserted(availableQueues(jobs));
    return results;
  }

  #preparer(): JobPreparer {
    const { clock, databaseNow } = this.#deps.environment;
    return new JobPreparer(this.#deps.defaults, databaseNow === null ? clock.now() : databaseNow());
  }

  async #run(
    operation: InsertContext["operation"],
    jobs: readonly PreparedJob[],
    { tx }: TransactionOptions<Tx>,
  ): Promise<InsertResult[]> {
    if (jobs.length === 0) return [];
    const call = { now: this.#deps.environment.databaseNow?.() };
    if (tx !== undefined) return this.#inScope(operation, jobs, { ...call, scope: { owner: "caller", tx } });
    const durability = durabilityOf(jobs);
    const results = this.#extended
      ? await this.#deps.driver.transaction((scope: OwnScope) => this.#inScope(operation, jobs, { ...call, scope }), {
          durability,
        })
      : await this.#write(jobs, call);
    this.#deps.onInserted(availableQueues(jobs));
    return results;
  }

  async #inScope(
    operation: InsertContext["operation"],
    jobs: readonly PreparedJob[],
    call: DriverCall<Tx>,
  ): Promise<InsertResult[]> {
    if (!this.#extended) return this.#write(jobs, call);
    const { middleware, hooks } = this.#deps;
    const context = insertContextOf(operation, jobs);
    return runInsertMiddleware(middleware, context, async () => {
      for (const each of hooks) await each.beforeInsert?.(context);
      const results = await this.#write(jobs, call);
      for (const each of hooks) await each.afterInsert?.(context, results);
      return results;
    });
  }

  async #write(jobs: readonly PreparedJob[], call: DriverCall<Tx>): Promise<InsertResult[]> {
    const { driver, noticeLimiter, onWritten } = this.#deps;
    const notices = noticeLimiter.noticesFor(availableQueues(jobs));
    const rows = jobs.map(({ row }) => row);
    const results = await writeJobs(driver, { jobs: rows, notices, durability: durabilityOf(jobs) }, call);
    onWritten?.(results);
    return results;
  }
}

function addItems(preparer: JobPreparer, items: unknown): void {
  const problems = preparer.faults.options;
  if (!Array.isArray(items)) return problems.add("items", "must be a list of { job, args, options? }");
  // By index, so that holes are seen.
  for (let index = 0; index < items.length; index++) {
    const path = `items[${index}]`;
    const item = problems.object(items[index], path, ITEM_NAMES);
    const paths = { job: `${path}.job`, args: `${path}.args`, options: `${path}.options` };
    preparer.add({ definition: item.job, args: item.args, options: item.options, paths });
    if (preparer.faults.count >= REPORTED_FINDINGS && index < items.length - 1) {
      return problems.add("items", `have been checked up to items[${index}] only`);
    }
  }
}

function readTransaction(faults: InsertFaults, options: unknown, path = ""): unknown {
  if (typeof options !== "object" || options === null || !("tx" in options)) return undefined;
  const { tx } = options;
  if (tx === undefined || (typeof tx === "object" && tx !== null) || typeof tx === "function") return tx;
  faults.options.add(`${path}tx`, "must be an open transaction, or be left out");
  return undefined;
}

function availableQueues(jobs: readonly PreparedJob[]): readonly string[] {
  const queues = new Set<string>();
  for (const { row } of jobs) if (row.state === "available") queues.add(row.queue);
  return [...queues];
}

/** A transaction waits for the disk as soon as one of its jobs asks for that. */
function durabilityOf(jobs: readonly PreparedJob[]): InsertDurability {
  return jobs.every(({ durability }) => durability === "relaxed") ? "relaxed" : "default";
}

/** `client.queues`: checks arguments, calls the driver, turns its records into rows. */
import type {
  QueueListOptions,
  QueueListResult,
  QueueOperations,
  QueueUpdateOptions,
} from "../api/queue-operations.ts";
import { InsertFaults } from "../definition/insert-faults.ts";
import type { RuntimeDriver } from "../driver/driver.ts";
import type { TransactionOptions } from "../insert/transaction-options.ts";
import { copyJsonObject } from "../json/copy-json-value.ts";
import { encodeStoredJson } from "../json/encode-stored-json.ts";
import { queueRowOf } from "../model/queue-row-view.ts";
import type { QueueRecord, QueueRow } from "../model/queue-row.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { driverCall, type OperationsContext, readTx, runtimeDriverOf } from "./operations-context.ts";
import { readLimit, readOptional, STORABLE_TEXT } from "./read-argument.ts";

const LIST_KEYS: readonly (keyof QueueListOptions | "tx")[] = Object.freeze(["after", "limit", "tx"]);
const UPDATE_KEYS: readonly (keyof QueueUpdateOptions | "tx")[] = Object.freeze(["metadata", "tx"]);

/** See the file header. */
export class DriverQueueOperations<Tx> implements QueueOperations<Tx> {
  readonly #context: OperationsContext<Tx>;

  constructor(context: OperationsContext<Tx>) {
    this.#context = context;
  }

  get #queues(): RuntimeDriver<Tx>["queues"] {
    return runtimeDriverOf(this.#context, "queue operations").queues;
  }

  async get(name: string, options: TransactionOptions<Tx> = {}): Promise<QueueRow | null> {
    const tx = readQueueCall(name, options);
    return rowOrNull(await this.#queues.get({ name }, driverCall(this.#context, tx)));
  }

  /** The cursor is the name of the last queue: names are unique and the list is sorted by them. */
  async list(options: QueueListOptions & TransactionOptions<Tx> = {}): Promise<QueueListResult> {
    const problems = new OptionProblems();
    const given = problems.object(options, "", LIST_KEYS);
    const after = readOptional(problems, given["after"], "after", STORABLE_TEXT) ?? null;
    const limit = readLimit(problems, given["limit"]);
    const tx = readTx(problems, given["tx"]);
    problems.throwValidation();
    const records = await this.#queues.list({ after, limit }, driverCall(this.#context, tx));
    const nextCursor = records.length < limit ? null : (records.at(-1)?.name ?? null);
    return { queues: records.map(queueRowOf), nextCursor };
  }

  async pause(name: string, options: TransactionOptions<Tx> = {}): Promise<QueueRow | null> {
    const tx = readQueueCall(name, options);
    return rowOrNull(await this.#queues.pause({ name }, driverCall(this.#context, tx)));
  }

  async resume(name: string, options: TransactionOptions<Tx> = {}): Promise<QueueRow | null> {
    const tx = readQueueCall(name, options);
    return rowOrNull(await this.#queues.resume({ name }, driverCall(this.#context, tx)));
  }

  async update(name: string, options: QueueUpdateOptions & TransactionOptions<Tx>): Promise<QueueRow | null> {
    const faults = new InsertFaults();
    readName(faults.options, name);
    const given = faults.options.object(options, "", UPDATE_KEYS);
    const tx = readTx(faults.options, given["tx"]);
    const metadata = readMetadata(faults, given["metadata"]);
    faults.throwValidation();
    return rowOrNull(await this.#queues.update({ name, metadata }, driverCall(this.#context, tx)));
  }
}

function readName(problems: OptionProblems, name: unknown): void {
  if (!STORABLE_TEXT.accepts(name)) problems.add("name", STORABLE_TEXT.expectation);
}

function readQueueCall(name: unknown, options: unknown): unknown {
  const problems = new OptionProblems();
  readName(problems, name);
  const tx = readTx(problems, problems.object(options, "", ["tx"])["tx"]);
  problems.throwValidation();
  return tx;
}

function readMetadata(faults: InsertFaults, value: unknown): string | null {
  if (value === undefined) return null;
  return faults.collect(() => encodeStoredJson(copyJsonObject(value, { subject: "metadata" }), "metadata")) ?? null;
}

function rowOrNull(record: QueueRecord | null): QueueRow | null {
  return record && queueRowOf(record);
}

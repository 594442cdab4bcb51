/** The tables of line `reaction` in the database of a River client, and messages in the transactions that write them. */
import { DatabaseOperationError, TransactionScopeError } from "riverqueue";
import { policyTask } from "../processor/policy-task.ts";
import { LifecycleError } from "../model/lifecycle-error.ts";
import { StoredContentError } from "../model/stored-content-error.ts";
import type { SqlDatabase, SqlRow, SqlRunOptions, SqlStatement } from "../seam/sql-database.ts";
import type { MessageInserter } from "./message-inserter.ts";
import type { MessagesAtWork } from "./messages-at-work.ts";
import type { DriverScope, RuntimeDriver } from "./runtime-driver.ts";

type Results = readonly (readonly SqlRow[])[];

/** Where the processor's messages go. */
export interface TaskQueue {
  readonly name: string;
  readonly maxAttempts: number;
}

/** Settings of an {@link EmbeddedDatabase}. */
export interface EmbeddedDatabaseSettings {
  readonly queue: TaskQueue;
  /** Milliseconds after which statements that have no answer fail; those in an application's transaction are its own. */
  readonly timeoutMs: number;
}

/** See the file header. */
export class EmbeddedDatabase<Tx> implements SqlDatabase<Tx> {
  readonly dialect: "postgres" | "sqlite";
  readonly sendsInTransaction = true;
  readonly #driver: RuntimeDriver<Tx>;
  readonly #inserter: MessageInserter<Tx>;
  readonly #messages: MessagesAtWork<Tx>;
  readonly #queue: TaskQueue;
  readonly #timeoutMs: number;

  constructor(
    driver: RuntimeDriver<Tx>,
    inserter: MessageInserter<Tx>,
    messages: MessagesAtWork<Tx>,
    { queue, timeoutMs }: EmbeddedDatabaseSettings,
  ) {
    this.dialect = driver.backend;
    this.#driver = driver;
    this.#inserter = inserter;
    this.#messages = messages;
    this.#queue = queue;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Rejects as a run without `tx` does that would wait for the transaction it is called in. For SQLite: on Postgres it has
   * a connection of its own.
   */
  async assertFree(): Promise<void> {
    await this.#translated(false, () =>
      // Without a statement nothing is begun: only the place of the call is checked.
      this.#driver.transaction(() => Promise.resolve(), { durability: "default" }),
    );
  }

  tableName(table: string): string {
    return this.#driver.extension.tableName(table);
  }

  run(statements: readonly SqlStatement[], options: SqlRunOptions<Tx> = {}): Promise<Results> {
    const { tx, sendFor, acknowledgeFor } = options;
    return this.#translated(tx !== undefined, async () => {
      if (tx !== undefined) return this.#runIn({ owner: "caller", tx }, statements, options);
      if (sendFor === undefined && acknowledgeFor === undefined) {
        return (await this.#driver.extension.run(statements, { timeoutMs: this.#timeoutMs })).map(({ rows }) => rows);
      }
      return this.#runTogether(statements, options);
    });
  }

  async #runTogether(statements: readonly SqlStatement[], options: SqlRunOptions<Tx>): Promise<Results> {
    const limits = { durability: "default", timeoutMs: this.#timeoutMs } as const;
    const run = (): Promise<Results> =>
      this.#driver.transaction((scope) => this.#runIn(scope, statements, options), limits);
    try {
      return await run();
    } catch (error) {
      // A prepared statement that the server has forgotten was refused, and all is undone. It is sent otherwise now.
      if (error instanceof DatabaseOperationError && error.details["reason"] === "prepared") return run();
      throw error;
    }
  }

  async #translated<T>(inCallers: boolean, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof DatabaseOperationError && error.details["rowCaused"] === true) {
        throw new StoredContentError("the database refuses a value", { cause: error });
      }
      if (error instanceof TransactionScopeError && !inCallers) {
        throw new LifecycleError("called inside a transaction of this database, before its commit", { cause: error });
      }
      throw error;
    }
  }

  async #runIn(
    scope: DriverScope<Tx>,
    statements: readonly SqlStatement[],
    { sendFor, acknowledgeFor }: SqlRunOptions<Tx>,
  ): Promise<Results> {
    const results = (await this.#driver.extension.run(statements, { scope })).map(({ rows }) => rows);
    const { name: queue, maxAttempts } = this.#queue;
    const messages = sendFor?.(results).map((id) => ({ queue, maxAttempts, message: { body: policyTask(id) } })) ?? [];
    await this.#inserter.insert(messages, { scope });
    await this.#messages.acknowledge(acknowledgeFor?.(results) ?? [], scope);
    return results;
  }
}

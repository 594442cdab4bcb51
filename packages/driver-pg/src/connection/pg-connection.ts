/**
 * Runs statements on one connection of `pg` and gives back rows as text, whatever parsers the application has set. It
 * neither opens nor closes anything.
 */
import { statementOf, statementOfText, type Dialect, type SqlTemplate, type Statement } from "./dialect.ts";
import { breaksConnection, isOutdatedPlan, isPreparedRefusal, operationError, translateFailure } from "./pg-failure.ts";
import type { PgClient } from "./pg-shapes.ts";
import type { PrepareMode } from "./prepare-mode.ts";

/** What is bound to a placeholder. */
export type PgValue = string | null;

/** One row, in the order of the statement's columns. */
export type PgRow = readonly (string | null)[];

/** Rows and the number of rows changed or read. */
export interface PgRows {
  readonly rows: readonly PgRow[];
  readonly count: number;
}

/** Where statements run. */
export interface StatementRunner {
  readonly dialect: Dialect;
  /** @throws DatabaseOperationError for everything that goes wrong. */
  run(operation: string, template: SqlTemplate, values: readonly PgValue[]): Promise<PgRows>;
  /** A statement that is made for one call, and is not prepared. */
  runOnce(operation: string, text: string, values: readonly PgValue[]): Promise<PgRows>;
}

interface ArrayResult {
  readonly rows: PgRow[];
  readonly rowCount: number | null;
  readonly command: string;
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

interface StatementObject {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly PgValue[];
  readonly rowMode: "array";
  readonly types: typeof AS_TEXT;
}

/** Rows with the names and types of their columns. */
export interface TypedRows extends PgRows {
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

const asText = (value: string): string => value;
/** River reads every column itself: the parsers of `pg` are global, and the application may have changed them. */
const AS_TEXT = { getTypeParser: (): ((value: string) => string) => asText };

/** See the file header. */
export class PgConnection implements StatementRunner {
  readonly client: PgClient;
  readonly #dialect: () => Dialect;
  readonly #prepare: PrepareMode;
  #broken = false;
  #inTransaction: boolean;

  /**
   * @param dialect - called for each use, because what the server can do is learnt on the first connection.
   * @param inTransaction - a transaction is open on `client` that is not River's to end.
   */
  constructor(client: PgClient, dialect: () => Dialect, prepare: PrepareMode, inTransaction: boolean) {
    this.client = client;
    this.#dialect = dialect;
    this.#prepare = prepare;
    this.#inTransaction = inTransaction;
  }

  get dialect(): Dialect {
    return this.#dialect();
  }

  /** The connection is lost or left in a state that nobody can tell. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Takes it out of use. */
  markBroken(): void {
    this.#broken = true;
  }

  async run(operation: string, template: SqlTemplate, values: readonly PgValue[]): Promise<PgRows> {
    return rowsOf(await this.#runPrepared(operation, statementOf(template, this.dialect), values));
  }

  async runOnce(operation: string, text: string, values: readonly PgValue[]): Promise<PgRows> {
    return rowsOf(await this.#attempt(operation, text, values));
  }

  /** As {@link runOnce}, with the columns; prepared if `prepare` says so. */
  async runTyped(
    operation: string,
    text: string,
    values: readonly PgValue[],
    prepare: boolean = false,
  ): Promise<TypedRows> {
    const result = prepare
      ? await this.#runPrepared(operation, statementOfText(text), values)
      : await this.#attempt(operation, text, values);
    const columns = result.fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
    return { ...rowsOf(result), columns };
  }

  /** BEGIN and SAVEPOINT and their ends; the server's answer, which for a COMMIT may be `ROLLBACK`. */
  async command(operation: string, text: string): Promise<string> {
    const { command } = await this.#attempt(operation, text, []);
    if (text.startsWith("BEGIN")) this.#inTransaction = true;
    else if (text === "COMMIT" || text === "ROLLBACK") this.#inTransaction = false;
    return command;
  }

  async #runPrepared(operation: string, statement: Statement, values: readonly PgValue[]): Promise<ArrayResult> {
    const { named, edition } = this.#prepare;
    const { text } = statement;
    try {
      return await this.#send(named ? { text, name: this.#prepare.nameOf(statement) } : { text }, values);
    } catch (error) {
      if (named && isOutdatedPlan(error)) this.#prepare.outdate(edition);
      else if (named && isPreparedRefusal(error)) this.#prepare.fallBack();
      else throw this.#failure(error, operation);
      // The error has aborted the transaction, so only its owner can start again.
      if (this.#inTransaction) throw operationError("prepared", operation, { cause: error });
      return this.#attempt(operation, text, values);
    }
  }

  async #attempt(operation: string, text: string, values: readonly PgValue[]): Promise<ArrayResult> {
    try {
      return await this.#send({ text }, values);
    } catch (error) {
      throw this.#failure(error, operation);
    }
  }

  async #send(
    statement: Pick<Statement, "text"> & Partial<Statement>,
    values: readonly PgValue[],
  ): Promise<ArrayResult> {
    const object: StatementObject = {
      ...statement,
      ...(values.length === 0 ? {} : { values }),
      rowMode: "array",
      types: AS_TEXT,
    };
    const { client } = this;
    return (await (client.query as unknown as (this: PgClient, statement: StatementObject) => Promise<unknown>).call(
      client,
      object,
    )) as ArrayResult;
  }

  #failure(error: unknown, operation: string): Error {
    if (breaksConnection(error)) this.#broken = true;
    return translateFailure(error, operation);
  }
}

function rowsOf({ rows, rowCount }: ArrayResult): PgRows {
  return { rows, count: rowCount ?? 0 };
}

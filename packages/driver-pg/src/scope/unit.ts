/** What the statements of one verb run on. */
import type { Notice } from "riverqueue/driver";
import type { Dialect, SqlTemplate } from "../connection/dialect.ts";
import type { PgConnection, PgRow, PgRows, PgValue, StatementRunner } from "../connection/pg-connection.ts";
import { formatTime } from "../record/pg-time.ts";
import { SEND_NOTICES } from "../sql/notices/send.ts";
import { noticesJson } from "../notices/notices-json.ts";

/** See the file header. */
export class Unit {
  readonly operation: string;
  /** Time that takes the place of the database clock; null in production. */
  readonly now: string | null;
  readonly runner: StatementRunner;

  constructor(operation: string, runner: StatementRunner, now: Temporal.Instant | undefined) {
    this.operation = operation;
    this.runner = runner;
    this.now = now === undefined ? null : formatTime(now);
  }

  get dialect(): Dialect {
    return this.runner.dialect;
  }

  /** All rows of a prepared statement. */
  async rows(template: SqlTemplate, ...values: readonly PgValue[]): Promise<readonly PgRow[]> {
    return (await this.runner.run(this.operation, template, values)).rows;
  }

  /** Its first row. */
  async row(template: SqlTemplate, ...values: readonly PgValue[]): Promise<PgRow | undefined> {
    return (await this.rows(template, ...values))[0];
  }

  /** A statement made for this one call. */
  once(text: string, values: readonly PgValue[]): Promise<PgRows> {
    return this.runner.runOnce(this.operation, text, values);
  }

  /** Sends notices at the commit. */
  async send(notices: readonly Notice[]): Promise<void> {
    if (notices.length > 0) await this.rows(SEND_NOTICES, noticesJson(notices));
  }
}

/** A unit inside a transaction of River's own. */
export class OwnUnit extends Unit {
  readonly connection: PgConnection;

  constructor(operation: string, connection: PgConnection, now: Temporal.Instant | undefined) {
    super(operation, connection, now);
    this.connection = connection;
  }

  /** Runs `body` so that a failure leaves nothing of it and the transaction goes on. */
  async undoable<T>(body: () => Promise<T>): Promise<T> {
    await this.connection.command(this.operation, "SAVEPOINT river");
    try {
      const result = await body();
      await this.connection.command(this.operation, "RELEASE SAVEPOINT river");
      return result;
    } catch (error) {
      await this.connection.command(this.operation, "ROLLBACK TO SAVEPOINT river");
      throw error;
    }
  }
}

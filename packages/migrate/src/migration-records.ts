/** Reads and writes `river_migration`, the record of what has been applied, in each form it has had. */
import type { MigrationSession } from "riverqueue/driver";
import { MIGRATION_LINE_MAIN, type MigrationBackend } from "./migration.ts";
import { quoteIdentifier, renderSchema, SCHEMA } from "./schema-template.ts";

/** First version of the main line whose records name a line. */
export const LINES_SINCE = 5;

/** What the records say about one line. */
export interface AppliedVersions {
  /** `absent`: no version of `main` is applied. `versions`: `main` is at 1 to 4 and there is no other line. */
  readonly form: "absent" | "versions" | "lines";
  /** Ascending. */
  readonly versions: number[];
}

/** The records of one line in one database. */
export class MigrationRecords {
  readonly #backend: MigrationBackend;
  readonly #schema: string | null;
  readonly #line: string;

  constructor(backend: MigrationBackend, schema: string | null, line: string) {
    this.#backend = backend;
    this.#schema = schema;
    this.#line = line;
  }

  /** Versions applied on the line. Where records name no line they are the main line's. */
  async read(session: MigrationSession): Promise<AppliedVersions> {
    if (!(await this.#tableExists(session))) return { form: "absent", versions: [] };
    if (!(await this.#lineColumnExists(session))) {
      const rows = await this.#query(session, `select version from ${SCHEMA}river_migration order by version`);
      return { form: "versions", versions: this.#line === MIGRATION_LINE_MAIN ? rows.map(readVersion) : [] };
    }
    const text = `select version from ${SCHEMA}river_migration where line = ${this.#parameter(1)} order by version`;
    const rows = await this.#query(session, text, [this.#line]);
    return { form: "lines", versions: rows.map(readVersion) };
  }

  /** Lines beside the main one that have versions applied; only for records of the form `lines`. */
  async otherLines(session: MigrationSession): Promise<string[]> {
    const text = `select distinct line from ${SCHEMA}river_migration where line <> ${this.#parameter(1)} order by line`;
    return (await this.#query(session, text, [MIGRATION_LINE_MAIN])).map((row) => String(row["line"]));
  }

  /** Records a version whose `upSql` has just run. */
  async add(session: MigrationSession, version: number): Promise<void> {
    const [first, second] = [this.#parameter(1), this.#parameter(2)];
    const insert = `insert into ${SCHEMA}river_migration`;
    if (await this.#lineColumnExists(session)) {
      await this.#query(session, `${insert} (line, version) values (${first}, ${second})`, [this.#line, version]);
    } else {
      await this.#query(session, `${insert} (version) values (${first})`, [version]);
    }
  }

  /** Takes out the record of a version whose `downSql` has just run. Version 1 of the main line took the table along. */
  async remove(session: MigrationSession, version: number): Promise<void> {
    if (this.#line === MIGRATION_LINE_MAIN && version === 1) return;
    const [first, second] = [this.#parameter(1), this.#parameter(2)];
    const remove = `delete from ${SCHEMA}river_migration where version = ${first}`;
    if (await this.#lineColumnExists(session)) {
      await this.#query(session, `${remove} and line = ${second}`, [version, this.#line]);
    } else {
      await this.#query(session, remove, [version]);
    }
  }

  async #tableExists(session: MigrationSession): Promise<boolean> {
    const rows =
      this.#backend === "sqlite"
        ? await session.query("select 1 as found from sqlite_master where type = 'table' and name = 'river_migration'")
        : // Reading a catalog makes the session take note of tables that others have made while it waited for the lock.
          await session.query("select 1 as found from pg_catalog.pg_class where oid = to_regclass($1)", [
            this.#qualifiedTable(),
          ]);
    return rows.length > 0;
  }

  async #lineColumnExists(session: MigrationSession): Promise<boolean> {
    const rows =
      this.#backend === "sqlite"
        ? await session.query("select 1 as found from pragma_table_info('river_migration') where name = 'line'")
        : await session.query(
            `select 1 as found from pg_catalog.pg_attribute
            where attrelid = to_regclass($1) and attname = 'line' and not attisdropped`,
            [this.#qualifiedTable()],
          );
    return rows.length > 0;
  }

  #qualifiedTable(): string {
    return this.#schema === null ? "river_migration" : `${quoteIdentifier(this.#schema)}.river_migration`;
  }

  #parameter(position: number): string {
    return this.#backend === "sqlite" ? "?" : `$${position}`;
  }

  #query(
    session: MigrationSession,
    text: string,
    values: (string | number)[] = [],
  ): Promise<Record<string, unknown>[]> {
    return session.query(renderSchema(text, this.#schema), values);
  }
}

/** Drivers return a bigint column as text, number or bigint. */
function readVersion(row: Record<string, unknown>): number {
  return Number(row["version"]);
}

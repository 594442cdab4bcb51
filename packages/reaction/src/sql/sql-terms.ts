/** The tables, and the terms in which the two dialects differ. */
import type { SqlDatabase } from "../seam/sql-database.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";

/**
 * Makes one call of many: what is asked for at the same time is run together. `keyOf` tells calls apart that must not
 * share a run; `isolates` says of which failures one call is the cause, so that each is then run by itself.
 */
export type Gather = <Params, Result>(
  run: (all: readonly Params[]) => Promise<readonly Result[]>,
  options: { readonly keyOf: (params: Params) => string; readonly isolates: (error: unknown) => boolean },
) => (params: Params) => Promise<Result>;

/** Every call is run by itself, as where statements belong to the request that they are for. */
export const runApart: Gather = (run) => async (params) => {
  const [result] = await run([params]);
  return result as Awaited<ReturnType<typeof run>>[number];
};

/** Options of a store. */
export interface SqlStoreOptions {
  /** {@link runApart} unless given. */
  readonly gather?: Gather | undefined;
  /** Takes the place of the database's clock, in tests. */
  readonly now?: (() => Date) | undefined;
}

/** See the file header. */
export class SqlTerms {
  readonly isPostgres: boolean;
  readonly event: SqlFragment;
  readonly command: SqlFragment;
  readonly alert: SqlFragment;
  readonly action: SqlFragment;
  readonly keyValue: SqlFragment;
  readonly analyticsEvent: SqlFragment;
  readonly analyticsSalt: SqlFragment;
  readonly #now: (() => Date) | undefined;

  constructor(database: Pick<SqlDatabase, "dialect" | "tableName">, options: SqlStoreOptions) {
    this.isPostgres = database.dialect === "postgres";
    const table = (name: string): SqlFragment => raw(database.tableName(`river_reaction_${name}`));
    this.event = table("event");
    this.command = table("command");
    this.alert = table("alert");
    this.action = table("action");
    this.keyValue = table("key_value");
    this.analyticsEvent = table("analytics_event");
    this.analyticsSalt = table("analytics_salt");
    this.#now = options.now;
  }

  /** Milliseconds since the epoch by the store's clock. */
  get now(): SqlFragment {
    if (this.#now !== undefined) return sql`cast(${this.#now().getTime()} as bigint)`;
    return raw(
      this.isPostgres
        ? "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"
        : "cast(unixepoch('subsec') * 1000 as integer)",
    );
  }

  /** The store's clock and `ms` milliseconds. */
  later(ms: number): SqlFragment {
    return sql`(${this.now} + cast(${Math.round(ms)} as bigint))`;
  }

  /**
   * A query for the records, one row each with these columns. One bound value however many there are: the statement's
   * text stays the same, and a statement of D1 binds at most 100.
   */
  records(
    records: readonly Readonly<Record<string, number | string | null>>[],
    columns: Readonly<Record<string, "bigint" | "text">>,
  ): SqlFragment {
    const names = Object.entries(columns);
    if (this.isPostgres) {
      const typed = raw(names.map(([name, type]) => `${name} ${type}`).join(", "));
      return sql`select * from jsonb_to_recordset(cast(cast(${JSON.stringify(records)} as text) as jsonb)) as r(${typed})`;
    }
    const members = raw(names.map(([name]) => `value ->> '${name}' as ${name}`).join(", "));
    return sql`select ${members} from json_each(${JSON.stringify(records)})`;
  }

  /** The store's clock and as many milliseconds as `ms` says, which is SQL. */
  laterBy(ms: SqlFragment): SqlFragment {
    return sql`(${this.now} + ${ms})`;
  }

  /** JSON list `list` with the object of these members at its end; the members are SQL. */
  appended(list: SqlFragment, members: Readonly<Record<string, SqlFragment>>): SqlFragment {
    const [name, wrap] = this.isPostgres
      ? [raw("jsonb_build_object"), (object: SqlFragment) => sql`${list} || ${object}`]
      : [raw("json_object"), (object: SqlFragment) => sql`json_insert(${list}, '$[#]', ${object})`];
    let pairs = sql``;
    for (const [key, value] of Object.entries(members)) {
      const comma = raw(pairs.strings.length > 1 ? ", " : "");
      pairs = sql`${pairs}${comma}${raw(`'${key}'`)}, ${value}`;
    }
    return wrap(sql`${name}(${pairs})`);
  }

  /** JSON text, which is SQL, as a member of an object. */
  json(text: SqlFragment): SqlFragment {
    return this.isPostgres ? sql`cast(${text} as jsonb)` : sql`json(${text})`;
  }

  /** The greatest of two integers. */
  greatest(a: SqlFragment, b: SqlFragment): SqlFragment {
    return sql`${raw(this.isPostgres ? "greatest" : "max")}(${a}, ${b})`;
  }

  /** Locks the rows of a subselect and leaves out those that others have locked. SQLite has one writer. */
  get skipLocked(): SqlFragment {
    return raw(this.isPostgres ? " for update skip locked" : "");
  }
}

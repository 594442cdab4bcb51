/** A key-value store in a table, for homes that have no other. */
import type { KeyValueListOptions, KeyValuePage, KeyValueStore } from "../seam/key-value-store.ts";
import type { SqlDatabase } from "../seam/sql-database.ts";
import { SqlContext } from "./sql-context.ts";
import { type SqlStoreOptions, SqlTerms } from "./sql-terms.ts";
import { raw, sql } from "./sql-text.ts";

/** See the file header. Reads do not lag. */
export class SqlKeyValueStore<Tx = unknown> implements KeyValueStore {
  readonly seeks = true;
  readonly #context: SqlContext<Tx>;
  readonly #terms: SqlTerms;

  /** @param database - with the tables of migration line `reaction`. */
  constructor(database: SqlDatabase<Tx>, options: SqlStoreOptions = {}) {
    this.#terms = new SqlTerms(database, options);
    this.#context = new SqlContext(database, this.#terms);
  }

  async get(key: string): Promise<string | null> {
    const { keyValue, now } = this.#terms;
    const rows = await this.#context.rows(
      sql`select value from ${keyValue} where key = ${key} and (expires_at is null or expires_at > ${now})`,
    );
    return rows[0] === undefined ? null : String(rows[0]["value"]);
  }

  async put(
    key: string,
    value: string,
    { expiresInSeconds }: { readonly expiresInSeconds?: number | undefined } = {},
  ): Promise<void> {
    const expires = expiresInSeconds === undefined ? raw("null") : this.#terms.later(expiresInSeconds * 1000);
    await this.#context.rows(sql`insert into ${this.#terms.keyValue} (key, value, expires_at)
      values (${key}, ${value}, ${expires})
      on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`);
  }

  async delete(key: string): Promise<void> {
    await this.#context.rows(sql`delete from ${this.#terms.keyValue} where key = ${key}`);
  }

  async list({ prefix, start = "", limit, cursor }: KeyValueListOptions): Promise<KeyValuePage> {
    const from = start > prefix ? start : prefix;
    const { keyValue, now } = this.#terms;
    const after = cursor === undefined ? sql`key >= ${from}` : sql`key > ${cursor}`;
    const rows = await this.#context.rows(sql`select key, value from ${keyValue}
      where ${after} and substr(key, 1, cast(${prefix.length} as integer)) = ${prefix}
        and key < ${`${prefix}\u{10FFFF}`} and (expires_at is null or expires_at > ${now})
      order by key limit cast(${limit + 1} as integer)`);
    const entries = rows.slice(0, limit).map((row) => ({ key: String(row["key"]), value: String(row["value"]) }));
    return { entries, cursor: rows.length > limit ? (entries.at(-1)?.key ?? null) : null };
  }

  async deleteExpired(limit: number): Promise<number> {
    const { keyValue, now } = this.#terms;
    const rows = await this.#context.rows(sql`delete from ${keyValue} where key in (
      select key from ${keyValue} where expires_at <= ${now} order by expires_at limit cast(${limit} as integer))
      returning key`);
    return rows.length;
  }
}

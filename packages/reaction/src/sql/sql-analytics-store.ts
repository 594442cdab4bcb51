/** Analytics events in a SQL database. */
import type {
  AnalyticsEvent,
  AnalyticsStore,
  DayCount,
  DayRange,
  RankedCount,
  RankingOptions,
} from "../seam/analytics-store.ts";
import type { SqlDatabase, SqlRow } from "../seam/sql-database.ts";
import { SqlContext } from "./sql-context.ts";
import { type SqlStoreOptions, SqlTerms } from "./sql-terms.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";

/** See the file header. */
export class SqlAnalyticsStore<Tx = unknown> implements AnalyticsStore {
  readonly #context: SqlContext<Tx>;
  readonly #terms: SqlTerms;

  /** @param database - with the tables of migration line `reaction`. */
  constructor(database: SqlDatabase<Tx>, options: SqlStoreOptions = {}) {
    this.#terms = new SqlTerms(database, options);
    this.#context = new SqlContext(database, this.#terms);
  }

  async write(events: readonly AnalyticsEvent[]): Promise<void> {
    if (events.length > 0) await this.#context.run(events.map((event) => this.#insertion(event)));
  }

  #insertion({ id, occurredAt, name, path, referrer, visitor }: AnalyticsEvent): SqlFragment {
    return sql`insert into ${this.#terms.analyticsEvent} (id, occurred_at, day, name, path, referrer, visitor)
      values (${id}, cast(${occurredAt.getTime()} as bigint), ${dayOf(occurredAt)}, ${name}, ${path}, ${referrer}, ${visitor})
      on conflict (id) do nothing`;
  }

  async salt(day: string, proposed: string): Promise<string> {
    const { analyticsSalt, now } = this.#terms;
    const insertion = sql`insert into ${analyticsSalt} (day, salt, created_at) values (${day}, ${proposed}, ${now})
      on conflict (day) do nothing`;
    const [, rows = []] = await this.#context.run([
      insertion,
      sql`select salt from ${analyticsSalt} where day = ${day}`,
    ]);
    return String(rows[0]?.["salt"]);
  }

  async deleteSalts(olderThanMs: number): Promise<void> {
    const { analyticsSalt } = this.#terms;
    await this.#context.rows(sql`delete from ${analyticsSalt} where created_at <= ${this.#terms.later(-olderThanMs)}`);
  }

  async countByDay({
    name,
    ...range
  }: DayRange & { readonly name?: string | undefined }): Promise<readonly DayCount[]> {
    const named = name === undefined ? raw("1 = 1") : sql`name = ${name}`;
    const rows = await this.#context.rows(sql`select day, count(*) as count from ${this.#terms.analyticsEvent}
      where ${within(range)} and ${named} group by day order by day`);
    return rows.map(dayCount);
  }

  topPages(options: RankingOptions): Promise<readonly RankedCount[]> {
    return this.#ranking("path", options);
  }

  topReferrers(options: RankingOptions): Promise<readonly RankedCount[]> {
    return this.#ranking("referrer", options);
  }

  async uniqueVisitors(range: DayRange): Promise<readonly DayCount[]> {
    const rows = await this.#context.rows(sql`select day, count(distinct visitor) as count
      from ${this.#terms.analyticsEvent} where ${within(range)} group by day order by day`);
    return rows.map(dayCount);
  }

  async #ranking(
    column: "path" | "referrer",
    { limit = 10, name = "page_view", ...range }: RankingOptions,
  ): Promise<readonly RankedCount[]> {
    const value = raw(column);
    const rows = await this.#context.rows(sql`select ${value} as value, count(*) as count
      from ${this.#terms.analyticsEvent} where ${within(range)} and name = ${name} and ${value} is not null
      group by ${value} order by count(*) desc, ${value} limit cast(${limit} as integer)`);
    return rows.map((row) => ({ value: String(row["value"]), count: Number(row["count"]) }));
  }
}

/** The UTC day of a moment. */
function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function within({ from, to }: DayRange): SqlFragment {
  return sql`day >= ${from} and day <= ${to}`;
}

function dayCount(row: SqlRow): DayCount {
  return { day: String(row["day"]), count: Number(row["count"]) };
}

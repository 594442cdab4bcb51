/** Where first-party analytics events are kept and counted. Days are UTC, written `2026-01-31`. */

/** One analytics event. Holds no address and nothing that outlives the day's salt. */
export interface AnalyticsEvent {
  /** Writing it twice counts it once. */
  readonly id: string;
  readonly occurredAt: Date;
  readonly name: string;
  readonly path: string | null;
  /** Host and path of the page that led here, without query. */
  readonly referrer: string | null;
  /** Salted hash of who it was, the same within a day only; null when unknown. */
  readonly visitor: string | null;
}

/** Days to count, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Options of a ranking. */
export interface RankingOptions extends DayRange {
  /** 1 to 1,000, default 10. */
  readonly limit?: number | undefined;
  /** Name of the events to count; `page_view` by default. */
  readonly name?: string | undefined;
}

/** A number of events or visitors. */
export interface DayCount {
  readonly day: string;
  readonly count: number;
}

/** An entry of a ranking, highest count first. */
export interface RankedCount {
  readonly value: string;
  readonly count: number;
}

/** See the file header. */
export interface AnalyticsStore {
  /** Writes all or none; those whose id is known count as written. */
  write(events: readonly AnalyticsEvent[]): Promise<void>;
  /** The day's salt; `proposed` becomes it where there is none yet. */
  salt(day: string, proposed: string): Promise<string>;
  /** Deletes salts made this long ago or longer; visitors of those days cannot be recognized any more. */
  deleteSalts(olderThanMs: number): Promise<void>;
  countByDay(range: DayRange & { readonly name?: string | undefined }): Promise<readonly DayCount[]>;
  topPages(options: RankingOptions): Promise<readonly RankedCount[]>;
  topReferrers(options: RankingOptions): Promise<readonly RankedCount[]>;
  /** Different visitors per day. Somebody who comes on two days counts on both. */
  uniqueVisitors(range: DayRange): Promise<readonly DayCount[]>;
}

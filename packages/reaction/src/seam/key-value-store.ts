/** Where log entries and review marks are kept: Workers KV, or a table. Reads may lag behind writes. */

/** What to list. */
export interface KeyValueListOptions {
  readonly prefix: string;
  /** Skip keys below this one. A hint: a store that cannot seek lists from the prefix on. */
  readonly start?: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
}

/** One page, keys ascending by UTF-8 bytes. */
export interface KeyValuePage {
  /** `value` is absent where the store does not read it along. */
  readonly entries: readonly { readonly key: string; readonly value?: string | undefined }[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

/** See the file header. */
export interface KeyValueStore {
  /**
   * True where `list` begins at `start` and brings the values along, so that one call reads a page wherever it lies. Where it
   * does not, a range is listed by its prefixes, and values are read one by one.
   */
  readonly seeks?: boolean | undefined;
  /** Null when there is none, or it has expired. */
  get(key: string): Promise<string | null>;
  /** Writes or replaces. Gone after `expiresInSeconds`, at least 60, when given. */
  put(key: string, value: string, options?: { readonly expiresInSeconds?: number | undefined }): Promise<void>;
  delete(key: string): Promise<void>;
  list(options: KeyValueListOptions): Promise<KeyValuePage>;
  /** Deletes expired entries, at most `limit`; resolves to how many. Stores that do so by themselves resolve to 0. */
  deleteExpired(limit: number): Promise<number>;
}

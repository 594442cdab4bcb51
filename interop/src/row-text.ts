/** Rows as text, so that two of them are equal exactly when every digit and the order of every key is. */
import { isJsonNumber, type JobRowJson, type JsonObject, type JsonValue, stringifyJson } from "riverqueue";

/** A row of which some columns are left out, and some metadata keys. */
export interface Exempt {
  readonly columns?: readonly (keyof JobRowJson)[];
  readonly metadata?: readonly string[];
  /** Whether the order of keys counts. */
  readonly order?: boolean;
}

/** The text of a row without what is exempt. */
export function rowText(row: JobRowJson | null, { columns = [], metadata = [], order = true }: Exempt = {}): string {
  if (row === null) return "null";
  const kept = Object.entries(row).filter(([column]) => !columns.includes(column as keyof JobRowJson));
  const value = Object.fromEntries(kept) as JsonObject & { metadata?: JsonObject };
  const keys = Object.entries(value.metadata ?? {}).filter(([key]) => !metadata.includes(key));
  const whole = value.metadata ? { ...value, metadata: Object.fromEntries<JsonValue>(keys) } : value;
  return stringifyJson(order ? whole : sorted(whole));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || isJsonNumber(value)) return value;
  const entries = Object.entries(value as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** What Go leaves in the metadata of every row that it inserts on SQLite. */
export const UNIQUE_NONCE = "river:unique_nonce";

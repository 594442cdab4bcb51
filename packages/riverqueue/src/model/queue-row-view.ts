/** Queues on top of what a driver read. A column that holds something unreadable throws when it is looked at. */
import { parseJsonObject } from "../json/parse-json.ts";
import { lazyColumn } from "./lazy-column.ts";
import type { QueueRecord, QueueRow } from "./queue-row.ts";

/** What each column of a row is, decoded. */
const COLUMNS: { readonly [Name in keyof QueueRow]: (record: QueueRecord) => QueueRow[Name] } = {
  name: ({ name }) => name,
  metadata: ({ metadata }) => parseJsonObject(metadata),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  pausedAt: ({ pausedAt }) => pausedAt,
};

/** A queue made of a driver's record. Frozen; prints its times as text. */
export function queueRowOf(record: QueueRecord): QueueRow {
  const row = {} as QueueRow;
  for (const [name, read] of Object.entries(COLUMNS))
    Object.defineProperty(
      row,
      name,
      lazyColumn(() => read(record)),
    );
  Object.defineProperty(row, Symbol.for("nodejs.util.inspect.custom"), { value: printable });
  return Object.freeze(row);
}

/** Node prints a Temporal value as an empty object. */
function printable(this: QueueRow): object {
  const columns = Object.keys(this).map((name) => [name, printed(this, name as keyof QueueRow)]);
  return Object.fromEntries(columns) as object;
}

function printed(row: QueueRow, name: keyof QueueRow): unknown {
  try {
    const value = row[name];
    return value instanceof Temporal.Instant ? value.toString() : value;
  } catch (error) {
    return error;
  }
}

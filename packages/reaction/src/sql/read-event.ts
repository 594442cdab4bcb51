/** Reads events with their commands in one statement, which sees one moment of the database. */
import type { StoredEvent } from "../seam/reaction-store.ts";
import type { SqlRow } from "../seam/sql-database.ts";
import { COMMAND_COLUMNS, EVENT_COLUMNS, readCommandRow, readEventRow, readKnownTime } from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";

/** Which event. */
export type EventKey = Pick<StoredEvent["event"], "idempotencyKey" | "type">;

const SELECTED = raw(
  [
    ...EVENT_COLUMNS.map((name) => `e.${name} as e_${name}`),
    ...COMMAND_COLUMNS.map((name) => `c.${name} as c_${name}`),
  ].join(", "),
);

/** Null for each that there is none of. */
export async function readStoredEvents<Tx>(
  context: SqlContext<Tx>,
  ids: readonly string[],
): Promise<readonly (StoredEvent | null)[]> {
  const { terms } = context;
  const list = JSON.stringify(ids);
  const condition = terms.isPostgres
    ? sql`e.id = any(array(select jsonb_array_elements_text(cast(cast(${list} as text) as jsonb))))`
    : sql`e.id in (select value from json_each(${list}))`;
  const byId = Map.groupBy(await readRows(context, condition), (row) => String(row["e_id"]));
  return ids.map((id) => storedEvent(byId.get(id) ?? []));
}

/** Null when there is none. */
export async function readStoredEvent<Tx>(
  context: SqlContext<Tx>,
  key: EventKey,
  tx?: Tx,
): Promise<StoredEvent | null> {
  const condition = sql`e.type = ${key.type} and e.idempotency_key = ${key.idempotencyKey}`;
  return storedEvent(await readRows(context, condition, tx));
}

function readRows<Tx>(context: SqlContext<Tx>, condition: SqlFragment, tx?: Tx): Promise<readonly SqlRow[]> {
  const { terms } = context;
  return context.rows(
    sql`select ${SELECTED}, ${terms.now} as now from ${terms.event} as e
      left join ${terms.command} as c on c.event_id = e.id where ${condition} order by e.id, c.position`,
    { tx },
  );
}

/** Of the rows of one event. */
function storedEvent(rows: readonly SqlRow[]): StoredEvent | null {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    event: readEventRow(first, "e_"),
    commands: rows.filter((row) => row["c_id"] !== null).map((row) => readCommandRow(row, "c_")),
    now: readKnownTime(first["now"]),
  };
}

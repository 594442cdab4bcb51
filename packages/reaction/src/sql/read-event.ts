/** Reads events with their commands in one statement, which sees one moment of the database. */
import type { StoredEvent } from "../seam/reaction-store.ts";
import type { SqlRow } from "../seam/sql-database.ts";
import { COMMAND_COLUMNS, EVENT_COLUMNS, readCommandRow, readEventRow, readKnownTime } from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";
import type { SqlTerms } from "./sql-terms.ts";

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
  const rows = await context.rows(selectedEvents(context.terms, JSON.stringify(ids)), { prepare: true });
  return storedEventsOf(rows, ids);
}

/** Rows in the order of `ids`; null for each that there is none of. */
export function storedEventsOf(rows: readonly SqlRow[], ids: readonly string[]): readonly (StoredEvent | null)[] {
  const byId = Map.groupBy(rows, (row) => String(row["e_id"]));
  return ids.map((id) => storedEvent(byId.get(id) ?? []));
}

/** Null when there is none. */
export async function readStoredEvent<Tx>(
  context: SqlContext<Tx>,
  key: EventKey,
  tx?: Tx,
): Promise<StoredEvent | null> {
  const condition = sql`e.type = ${key.type} and e.idempotency_key = ${key.idempotencyKey}`;
  return storedEvent(await context.rows(selected(context.terms, condition), { tx, prepare: true }));
}

/** What else to select. */
interface Beside {
  readonly columns: SqlFragment;
  /** From where, for each command `c`. */
  readonly join: SqlFragment;
}

/** The query for the events of these ids, a JSON list. */
export function selectedEvents(terms: SqlTerms, ids: string, beside?: Beside): SqlFragment {
  const condition = terms.isPostgres
    ? sql`e.id = any(array(select jsonb_array_elements_text(cast(cast(${ids} as text) as jsonb))))`
    : sql`e.id in (select value from json_each(${ids}))`;
  return selected(terms, condition, beside);
}

function selected(terms: SqlTerms, condition: SqlFragment, beside?: Beside): SqlFragment {
  const more = beside === undefined ? raw("") : sql`, ${beside.columns}`;
  // The offset makes Postgres look the commands of each event up. It does not know how few events there are, and would
  // rather walk all commands, above all before it has statistics.
  const commands = terms.isPostgres
    ? sql`left join lateral (select o.* from ${terms.command} as o where o.event_id = e.id offset 0) as c on true`
    : sql`left join ${terms.command} as c on c.event_id = e.id`;
  return sql`select ${SELECTED}, ${terms.now} as now${more} from ${terms.event} as e
    ${commands} ${beside?.join ?? raw("")} where ${condition} order by e.id, c.position`;
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

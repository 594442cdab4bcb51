/** What the pages of operators list: newest first, page by page. */
import type { Alert } from "../model/alert.ts";
import type { CommandExecution } from "../model/command-execution.ts";
import type { EventExecution } from "../model/event-execution.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { AlertFilter, CommandFilter, EventFilter, OperatorAction, Page } from "../seam/reaction-store.ts";
import type { SqlRow } from "../seam/sql-database.ts";
import {
  COMMAND_COLUMNS,
  EVENT_COLUMNS,
  readActionRow,
  readAlertRow,
  readCommandRow,
  readEventRow,
} from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { join, raw, sql, type SqlFragment } from "./sql-text.ts";

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 500;
/** Created at, in milliseconds, and id of the last item of a page. */
const CURSOR = /^(\d{1,16})_([\w-]{1,64})$/;

/** Events, newest first. @throws ValidationError for a bad limit or cursor. */
export function listEvents<Tx>(context: SqlContext<Tx>, filter: EventFilter): Promise<Page<EventExecution>> {
  const { type, status, idempotencyKey } = filter;
  return page(context, filter, {
    select: raw(EVENT_COLUMNS.map((name) => `t.${name}`).join(", ")),
    from: sql`${context.terms.event} as t`,
    time: "created_at",
    conditions: [equals("t.type", type), equals("t.status", status), equals("t.idempotency_key", idempotencyKey)],
    read: (row) => readEventRow(row),
  });
}

/** Commands, newest first. @throws ValidationError for a bad limit or cursor. */
export function listCommands<Tx>(context: SqlContext<Tx>, filter: CommandFilter): Promise<Page<CommandExecution>> {
  const { name, status, mode, eventId, eventType, idempotencyKey } = filter;
  const { terms } = context;
  return page(context, filter, {
    select: raw(COMMAND_COLUMNS.map((column) => `t.${column}`).join(", ")),
    from:
      eventType === undefined && idempotencyKey === undefined
        ? sql`${terms.command} as t`
        : sql`${terms.command} as t join ${terms.event} as e on e.id = t.event_id`,
    time: "created_at",
    conditions: [
      equals("t.name", name),
      equals("t.status", status),
      equals("t.mode", mode),
      equals("t.event_id", eventId),
      equals("e.type", eventType),
      equals("e.idempotency_key", idempotencyKey),
    ],
    read: (row) => readCommandRow(row),
  });
}

/** Alerts, newest first. @throws ValidationError for a bad limit or cursor. */
export function listAlerts<Tx>(context: SqlContext<Tx>, filter: AlertFilter): Promise<Page<Alert>> {
  const { eventId, severity } = filter;
  return page(context, filter, {
    select: raw("t.*"),
    from: sql`${context.terms.alert} as t`,
    time: "raised_at",
    conditions: [equals("t.event_id", eventId), equals("t.severity", severity)],
    read: readAlertRow,
  });
}

/** Actions of operators on one event, oldest first. */
export async function listActions<Tx>(context: SqlContext<Tx>, eventId: string): Promise<readonly OperatorAction[]> {
  const { action } = context.terms;
  const rows = await context.rows(sql`select * from ${action} where event_id = ${eventId} order by taken_at, id`);
  return rows.map(readActionRow);
}

interface Listing<Item> {
  readonly select: SqlFragment;
  readonly from: SqlFragment;
  readonly time: "created_at" | "raised_at";
  readonly conditions: readonly (SqlFragment | null)[];
  readonly read: (row: SqlRow) => Item;
}

interface Paging {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

async function page<Tx, Item>(
  context: SqlContext<Tx>,
  { from, to, limit = DEFAULT_LIMIT, cursor }: Paging,
  listing: Listing<Item>,
): Promise<Page<Item>> {
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_LIMIT) {
    throw new ValidationError(`limit must be an integer of 1 to ${LARGEST_LIMIT}`);
  }
  const time = raw(`t.${listing.time}`);
  const conditions = [
    sql`1 = 1`,
    ...listing.conditions.filter((condition) => condition !== null),
    ...(from === undefined ? [] : [sql`${time} >= cast(${from.getTime()} as bigint)`]),
    ...(to === undefined ? [] : [sql`${time} < cast(${to.getTime()} as bigint)`]),
    ...(cursor === undefined ? [] : [after(time, cursor)]),
  ];
  const rows = await context.rows(sql`select ${listing.select} from ${listing.from} where ${join(conditions, " and ")}
    order by ${time} desc, t.id desc limit cast(${limit + 1} as integer)`);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(listing.read),
    cursor: last === undefined ? null : `${String(last[listing.time])}_${String(last["id"])}`,
  };
}

function equals(column: string, value: string | undefined): SqlFragment | null {
  return value === undefined ? null : sql`${raw(column)} = ${value}`;
}

function after(time: SqlFragment, cursor: string): SqlFragment {
  const [, at = "", id = ""] = CURSOR.exec(cursor) ?? [];
  if (id === "") throw new ValidationError("cursor must be the one of the page before");
  return sql`(${time}, t.id) < (cast(${Number(at)} as bigint), ${id})`;
}

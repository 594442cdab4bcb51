/**
 * Reads events with their commands and leases the first command of each that is left, any number at once. The records are
 * those from before: what a lease changes comes beside them.
 */
import type { CommandExecution } from "../model/command-execution.ts";
import type { OpenedEvent, OpenParams, StoredEvent } from "../seam/reaction-store.ts";
import type { SqlRow } from "../seam/sql-database.ts";
import { leased, withLockedEvents } from "./lease-command.ts";
import { selectedEvents, storedEventsOf } from "./read-event.ts";
import { readKnownTime } from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";
import type { SqlTerms } from "./sql-terms.ts";

const OPENINGS = {
  of_event: "text",
  new_owner: "text",
  names_at: "bigint",
  lease_ms: "bigint",
  sweep_in_ms: "bigint",
} as const;
const LEASED = raw("id as leased_id, leased_at, lease_expires_at");

/** Null for each that there is none of. No event may occur twice. */
export async function openEvents<Tx>(
  context: SqlContext<Tx>,
  all: readonly OpenParams[],
): Promise<readonly (OpenedEvent | null)[]> {
  const { terms } = context;
  // One list for all calls of one processor.
  const lists = [...new Set(all.map(({ names }) => names))];
  const p = terms.records(
    all.map(({ eventId, owner, names, leaseMs, sweepInMs }) => ({
      of_event: eventId,
      new_owner: owner,
      names_at: lists.indexOf(names),
      lease_ms: Math.round(leaseMs),
      sweep_in_ms: Math.round(sweepInMs),
    })),
    OPENINGS,
  );
  const first = firstCommands(terms, JSON.stringify(lists));
  const statements = (terms.isPostgres ? together : inTurn)(terms, p, first, JSON.stringify(all.map(idOf)));
  const results = await context.run(statements, { prepare: true });
  const stored = storedEventsOf(results[0] ?? [], all.map(idOf));
  const leases = new Map((results.at(-1) ?? []).map((row) => [row["leased_id"], row]));
  return stored.map((event, index) => event && opened(event, all[index]?.owner ?? "", leases));
}

function idOf({ eventId }: OpenParams): string {
  return eventId;
}

/** The commands of `p` to lease, if what comes first in each event can be run as it is. */
function firstCommands(terms: SqlTerms, lists: string): SqlFragment {
  const named = terms.isPostgres
    ? sql`jsonb_exists(cast(cast(${lists} as text) as jsonb) -> cast(names_at as integer), c.name)`
    : sql`exists (select 1 from json_each(${lists}, '$[' || names_at || ']') where value = c.name)`;
  // The call keeps Postgres from walking all commands that are open anywhere.
  const ofEvent = sql`from ${terms.command} as o
    where o.event_id = p.of_event and coalesce(o.status, '') in ('pending', 'running', 'retryable')
    order by case o.mode when 'sync' then 0 else 1 end, o.position limit 1`;
  const each = terms.isPostgres
    ? sql`cross join lateral (select o.* ${ofEvent}) as c`
    : sql`join ${terms.command} as c on c.id = (select o.id ${ofEvent})`;
  return sql`select p.*, c.id as of_command, c.attempt as seen_attempt from p ${each}
    where c.status in ('pending', 'retryable') and c.attempt < c.max_attempts and c.after_command is null and ${named}`;
}

/** For Postgres: one statement, one round trip. Finished events are not locked. */
function together(terms: SqlTerms, p: SqlFragment, first: SqlFragment, ids: string): SqlFragment[] {
  return [
    sql`${withLockedEvents(terms, p, raw("open_commands > 0"))}, f as materialized (${first}), taken as (
      update ${terms.command} set ${leased(terms)} from f, l
      where locked_event = of_event and id = of_command and id = any(array(select of_command from f))
        and attempt = seen_attempt and coalesce(status, '') in ('pending', 'retryable')
      returning ${LEASED}, of_event as leased_event, sweep_in_ms
    ), postponed as (
      update ${terms.event} as e set next_sweep_at = ${terms.laterBy(raw("taken.sweep_in_ms"))}
      from taken where e.id = leased_event
    ) ${selectedEvents(terms, ids, {
      columns: raw("taken.leased_id, taken.leased_at, taken.lease_expires_at"),
      join: raw("left join taken on taken.leased_id = c.id"),
    })}`,
  ];
}

/** For SQLite: the event first, as the command tells by its status alone whether it is to be leased. */
function inTurn(terms: SqlTerms, p: SqlFragment, first: SqlFragment, ids: string): SqlFragment[] {
  const found = sql`with p as materialized (${p}), f as materialized (${first})`;
  return [
    selectedEvents(terms, ids),
    sql`${found} update ${terms.event} set next_sweep_at = ${terms.laterBy(raw("f.sweep_in_ms"))}
      from f where id = f.of_event`,
    sql`${found} update ${terms.command} set ${leased(terms)} from f where id = f.of_command returning ${LEASED}`,
  ];
}

function opened(event: StoredEvent, owner: string, leases: ReadonlyMap<unknown, SqlRow>): OpenedEvent {
  const command = event.commands.find(({ id }) => leases.has(id));
  const row = leases.get(command?.id);
  return { ...event, leased: command === undefined || row === undefined ? null : leasedCommand(command, owner, row) };
}

function leasedCommand(command: CommandExecution, owner: string, row: SqlRow): CommandExecution {
  return {
    ...command,
    status: "running",
    attempt: command.attempt + 1,
    retryAt: null,
    lease: {
      owner,
      takenAt: readKnownTime(row["leased_at"]),
      expiresAt: readKnownTime(row["lease_expires_at"]),
    },
  };
}

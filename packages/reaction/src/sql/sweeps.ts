/** What the sweeper asks of the store. */
import type { RetentionParams, SweptEvent } from "../seam/reaction-store.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlTerms } from "./sql-terms.ts";
import { join, raw, sql, type SqlFragment } from "./sql-text.ts";

const FIRST_SWEEP_MS = 60_000;
const LONGEST_SWEEP_MS = 3_600_000;
/** From this many sweeps on the hour is reached; a greater exponent would only overflow. */
const LAST_DOUBLING = 6;

/** Wins due events, oldest first. */
export async function claimSweeps<Tx>(context: SqlContext<Tx>, limit: number): Promise<readonly SweptEvent[]> {
  const { terms } = context;
  const exponent = sql`case when sweeps > ${raw(String(LAST_DOUBLING))} then ${raw(String(LAST_DOUBLING))} else sweeps end`;
  const wait = sql`case when sweeps >= ${raw(String(LAST_DOUBLING))} then ${raw(String(LONGEST_SWEEP_MS))}
    else ${raw(String(FIRST_SWEEP_MS))} * (1 << (${exponent})) end`;
  const rows =
    await context.rows(sql`update ${terms.event} set next_sweep_at = ${terms.now} + ${wait}, sweeps = sweeps + 1
    where next_sweep_at <= ${terms.now} and id in (
      select id from ${terms.event} where next_sweep_at <= ${terms.now}
      order by next_sweep_at limit cast(${limit} as integer)${terms.skipLocked})
    returning id, sweeps`);
  return rows.map((row) => ({ id: String(row["id"]), sweeps: Number(row["sweeps"]) }));
}

/** Leaves finished events alone. */
export async function markDispatched<Tx>(
  context: SqlContext<Tx>,
  eventIds: readonly string[],
  dispatched: boolean,
): Promise<void> {
  if (eventIds.length === 0) return;
  const { terms } = context;
  // Few at a time: a statement of D1 binds at most 100 values.
  const ids = join(
    eventIds.slice(0, 90).map((id) => sql`${id}`),
    ", ",
  );
  await context.rows(sql`update ${terms.event} set status = ${dispatched ? "dispatched" : "undispatched"}
    where id in (${ids}) and status in ('pending', 'undispatched')`);
  await markDispatched(context, eventIds.slice(90), dispatched);
}

/** Unless nothing is left to look for. */
export async function postponeSweep<Tx>(context: SqlContext<Tx>, eventId: string, sweepInMs: number): Promise<void> {
  const { terms } = context;
  await context.rows(sql`update ${terms.event} set next_sweep_at = ${terms.later(sweepInMs)}
    where id = ${eventId} and next_sweep_at is not null`);
}

/** Of commands that nothing happens to any more: an operator may have brought another back to life meanwhile. */
const ENDED = raw("status in ('succeeded', 'failed', 'skipped')");

/**
 * The number of events that lost their content or went away. The row of an event is written last, and only when nothing is
 * left of what belongs to it: between two statements the clock moves on, and others may sweep.
 */
export async function applyRetention<Tx>(context: SqlContext<Tx>, params: RetentionParams): Promise<number> {
  const { contentAfterMs, keysAfterMs, alertsAfterMs, limit } = params;
  const { terms } = context;
  const results = await context.run([
    // Only what is empty is deleted: a finished event is in one index for as long as it has content, and then in the other.
    ...emptyOld(terms, Math.min(contentAfterMs, keysAfterMs ?? Infinity), limit),
    sql`delete from ${terms.alert} where id in (select id from ${terms.alert}
      where raised_at <= ${terms.later(-alertsAfterMs)} order by raised_at limit cast(${limit} as integer))`,
    ...(keysAfterMs === null ? [] : deleteOld(terms, keysAfterMs, limit)),
  ]);
  return (results[1]?.length ?? 0) + (keysAfterMs === null ? 0 : (results.at(-1)?.length ?? 0));
}

function emptyOld(terms: SqlTerms, afterMs: number, limit: number): SqlFragment[] {
  const full = raw("payload is not null");
  const emptied = sql`${full} and ${without(terms.command)}
    and (input is not null or result is not null or error is not null or attempts <> '[]'))`;
  return [
    sql`update ${terms.command} set input = null, result = null, error = null, attempts = '[]'
      where event_id in ${oldEvents(terms, full, afterMs, limit)} and ${ENDED}`,
    sql`update ${terms.event} set payload = null where id in ${oldEvents(terms, emptied, afterMs, limit)} returning id`,
  ];
}

function deleteOld(terms: SqlTerms, afterMs: number, limit: number): SqlFragment[] {
  const empty = raw("payload is null");
  const all = oldEvents(terms, empty, afterMs, limit);
  const bare = sql`${empty} and ${without(terms.command)}) and ${without(terms.action)})`;
  return [
    sql`delete from ${terms.command} where event_id in ${all} and ${ENDED}`,
    sql`delete from ${terms.action} where event_id in ${all}`,
    sql`delete from ${terms.event} where id in ${oldEvents(terms, bare, afterMs, limit)} returning id`,
  ];
}

/** The oldest finished events `e` that the condition holds for. */
function oldEvents(terms: SqlTerms, condition: SqlFragment, afterMs: number, limit: number): SqlFragment {
  return sql`(select id from ${terms.event} as e where finished_at <= ${terms.later(-afterMs)} and ${condition}
    order by finished_at limit cast(${limit} as integer))`;
}

/** The beginning of a condition: no row of the table belongs to event `e`. */
function without(table: SqlFragment): SqlFragment {
  return sql`not exists (select 1 from ${table} as other where other.event_id = e.id`;
}

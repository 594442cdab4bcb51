/** Ends attempts, and commands that nobody runs, any number at once. Their events follow in the same write. */
import type { EventStatus } from "../model/event-execution.ts";
import type { DecideParams, SettleParams, WrittenCommand } from "../seam/reaction-store.ts";
import type { SqlRow } from "../seam/sql-database.ts";
import { countedProgress, type EventChange, GROUP_COUNTS, groupedProgress } from "./event-progress.ts";
import { free, HELD, OWN_EVENT, withCrashed, withLockedEvents } from "./lease-command.ts";
import { COMMAND_COLUMNS, readCommandRow } from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";
import type { SqlTerms } from "./sql-terms.ts";

const RETURNED = raw(COMMAND_COLUMNS.join(", "));
const IS_FINISHED = raw("new_status in ('succeeded', 'failed', 'skipped')");
const COLUMNS = {
  of_event: "text",
  of_command: "text",
  holder: "text",
  held_attempt: "bigint",
  new_status: "text",
  new_result: "text",
  dropped: "bigint",
  outcome: "text",
  new_error: "text",
  retry_in_ms: "bigint",
  sweep_in_ms: "bigint",
  sends: "bigint",
} as const;

/** Null, and nothing written, for anybody but the holder of a lease. No command may occur twice. */
export function settleCommands<Tx>(
  context: SqlContext<Tx>,
  all: readonly SettleParams[],
): Promise<readonly (WrittenCommand | null)[]> {
  const { terms } = context;
  const attempts = terms.appended(raw("attempts"), {
    attempt: raw("attempt"),
    owner: raw("lease_owner"),
    startedAt: raw("leased_at"),
    finishedAt: terms.now,
    outcome: raw("outcome"),
    error: terms.json(raw("new_error")),
  });
  const set = sql`status = new_status, result = new_result, result_dropped = dropped, error = new_error,
    retry_at = case when retry_in_ms is not null then ${terms.laterBy(raw("retry_in_ms"))} end, attempts = ${attempts}`;
  const records = all.map((params) => ({
    ...commonRecord(context, params),
    holder: params.owner,
    held_attempt: params.attempt,
    new_result: params.result,
    dropped: params.resultDropped ? 1 : 0,
    outcome: params.error === null ? "succeeded" : "failed",
    retry_in_ms: params.retryInMs === null ? null : Math.round(params.retryInMs),
  }));
  return write(context, { set, where: HELD, records }, all);
}

/** Null, and nothing written, when somebody runs the command or has run it since. */
export async function decideCommand<Tx>(context: SqlContext<Tx>, params: DecideParams): Promise<WrittenCommand | null> {
  const { terms } = context;
  const set = sql`status = new_status, error = coalesce(new_error, error), retry_at = null,
    attempts = ${withCrashed(terms)}`;
  const where = sql`attempt = held_attempt and ${free(terms)}`;
  const record = { ...commonRecord(context, params), held_attempt: params.seenAttempt };
  const [written = null] = await write(context, { set, where, records: [record] }, [params]);
  return written;
}

type Params = DecideParams | SettleParams;

interface Update {
  readonly set: SqlFragment;
  readonly where: SqlFragment;
  readonly records: readonly Readonly<Record<string, number | string | null>>[];
}

function commonRecord<Tx>(context: SqlContext<Tx>, params: Params): Update["records"][number] {
  return {
    of_event: params.eventId,
    of_command: params.commandId,
    new_status: params.status,
    new_error: params.error === null ? null : JSON.stringify(params.error),
    sweep_in_ms: Math.round(params.sweepInMs),
    sends: context.sends(params) ? 1 : 0,
  };
}

async function write<Tx>(
  context: SqlContext<Tx>,
  { set, where, records }: Update,
  all: readonly Params[],
): Promise<readonly (WrittenCommand | null)[]> {
  const { terms, database } = context;
  const p = terms.records(records, COLUMNS);
  const all_set = sql`${set}, finished_at = case when ${IS_FINISHED} then ${terms.now} end,
    lease_owner = null, leased_at = null, lease_expires_at = null`;
  const statements = (terms.isPostgres ? together : inTurn)(terms, p, all_set, where);
  const asks = database.sendsInTransaction && all.some(({ send, messageId }) => send || messageId !== undefined);
  const results = await context.run(statements, { prepare: true, ...(asks && messagesOf(all)) });
  const written = writtenIn(results);
  return all.map((params) => {
    const found = written.get(params.commandId);
    if (found === undefined) return null;
    const { row, eventStatus, isOpen } = found;
    return { command: readCommandRow(row), eventStatus, sent: context.sends(params) && isOpen };
  });
}

/** What goes out with the writes, and which messages end with them: those of events with nothing left to do. */
function messagesOf(all: readonly Params[]) {
  return {
    sendFor: (results: readonly (readonly SqlRow[])[]) => {
      const written = writtenIn(results);
      const open = all.filter(({ send, commandId }) => send && written.get(commandId)?.isOpen === true);
      return [...new Set(open.map(({ eventId }) => eventId))];
    },
    acknowledgeFor: (results: readonly (readonly SqlRow[])[]) => {
      const written = writtenIn(results);
      const done = all.filter(({ commandId }) => written.get(commandId)?.isOpen === false);
      return done.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId]));
    },
  };
}

interface Written {
  readonly row: SqlRow;
  readonly eventStatus: EventStatus;
  readonly isOpen: boolean;
}

/** By command. Both lists are one on Postgres. */
function writtenIn(results: readonly (readonly SqlRow[])[]): ReadonlyMap<string, Written> {
  const events = new Map((results.at(-1) ?? []).map((row) => [row["of_event"], row]));
  const written = new Map<string, Written>();
  for (const row of results[0] ?? []) {
    const event = events.get(row["event_id"]);
    if (event === undefined) continue;
    const eventStatus = event["event_status"] as EventStatus;
    written.set(String(row["id"]), { row, eventStatus, isOpen: Number(event["open_commands"]) > 0 });
  }
  return written;
}

/** For Postgres: one statement, one round trip. */
function together(terms: SqlTerms, p: SqlFragment, set: SqlFragment, where: SqlFragment): SqlFragment[] {
  // Every command that is written here was open before.
  const by = { open: raw("m.open"), review: raw("m.review"), failed: raw("m.failed") };
  return [
    sql`${withLockedEvents(terms, p)}, c as (
      update ${terms.command} set ${set} from p, l where ${OWN_EVENT} and ${where} returning ${RETURNED}
    ), m as (
      select event_id, max(sweep_in_ms) as sweep_in_ms, max(sends) as sends,
        cast(-count(*) filter (where status <> 'retryable') as integer) as open,
        cast(count(*) filter (where status = 'needs_review') as integer) as review,
        cast(count(*) filter (where status = 'failed') as integer) as failed
      from c, p where id = of_command group by event_id
    ), e as (
      update ${terms.event} as e set ${countedProgress(terms, by, eventChange(terms, "e.status"))}
      from m where e.id = m.event_id
      returning e.id as of_event, e.status as event_status, e.open_commands
    ) select c.*, e.* from c, e where c.event_id = e.of_event`,
  ];
}

/** For SQLite: the second statement finds out by itself what the first has written. */
function inTurn(terms: SqlTerms, p: SqlFragment, set: SqlFragment, where: SqlFragment): SqlFragment[] {
  return [
    sql`with p as materialized (${p}) update ${terms.command} set ${set} from p
      where id = of_command and ${where} returning ${RETURNED}`,
    sql`with p as materialized (${p}) update ${terms.event} set ${groupedProgress(terms, eventChange(terms, "status"))}
      from (
        select of_event, max(sweep_in_ms) as sweep_in_ms, max(sends) as sends, ${GROUP_COUNTS}
        from (
          select of_event, max(sweep_in_ms) as sweep_in_ms, max(sends) as sends from p where exists (
            select 1 from ${terms.command} where id = of_command and status = new_status and attempt = held_attempt)
          group by of_event) join ${terms.command} as c on c.event_id = of_event
        group by of_event) as m
      where id = m.of_event
      returning id as of_event, status as event_status, open_commands`,
  ];
}

function eventChange(terms: SqlTerms, status: string): EventChange {
  return {
    openStatus: raw(`case when m.sends = 1 then 'dispatched' else ${status} end`),
    nextSweepAt: terms.laterBy(raw("m.sweep_in_ms")),
  };
}

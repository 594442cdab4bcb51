/** What operators do by hand, each together with its record. */
import { DeletedContentError } from "../model/deleted-content-error.ts";
import type { OperatorAction, OperatorParams } from "../seam/reaction-store.ts";
import { countedProgress, recountedProgress } from "./event-progress.ts";
import type { SqlContext } from "./sql-context.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";

interface Operation {
  readonly action: OperatorAction["action"];
  /** Statuses that the command may have. */
  readonly from: readonly string[];
  /** What else must be so. */
  readonly only?: SqlFragment;
  /** Assignments to the command. */
  readonly set: SqlFragment;
  /** By how much it changes the counts of the event, for a command of each of those statuses. */
  readonly change: (from: string) => { readonly open: number; readonly review: number; readonly failed: number };
}

const RETRIED = ["failed", "needs_review"];

/**
 * Gives a command that has ended one more attempt at least.
 *
 * @throws DeletedContentError when its input has been deleted.
 */
export async function retryCommand<Tx>(
  context: SqlContext<Tx>,
  commandId: string,
  by: OperatorParams,
): Promise<string | null> {
  const attempts = context.terms.greatest(raw("max_attempts"), raw("attempt + 1"));
  const eventId = await operate(context, commandId, by, {
    action: "retry",
    from: RETRIED,
    only: raw("input is not null"),
    set: sql`status = 'pending', max_attempts = ${attempts}, finished_at = null, retry_at = null`,
    change: (from) => ({ open: 1, review: from === "needs_review" ? -1 : 0, failed: from === "failed" ? -1 : 0 }),
  });
  if (eventId === null && (await isEmptied(context, commandId))) {
    throw new DeletedContentError("the command's input was deleted by retention, so it cannot run again");
  }
  return eventId;
}

async function isEmptied<Tx>(context: SqlContext<Tx>, commandId: string): Promise<boolean> {
  const [row] = await context.rows(
    sql`select status from ${context.terms.command} where id = ${commandId} and input is null`,
  );
  return row !== undefined && RETRIED.includes(String(row["status"]));
}

/** Says that the effect of a command in review has happened. */
export function completeCommand<Tx>(
  context: SqlContext<Tx>,
  commandId: string,
  by: OperatorParams,
): Promise<string | null> {
  return operate(context, commandId, by, {
    action: "mark_done",
    from: ["needs_review"],
    set: sql`status = 'succeeded', finished_at = ${context.terms.now}`,
    change: () => ({ open: 0, review: -1, failed: 0 }),
  });
}

/** Makes the next sweep due. */
export async function redispatchEvent<Tx>(
  context: SqlContext<Tx>,
  eventId: string,
  by: OperatorParams,
): Promise<boolean> {
  const { terms } = context;
  const results = await context.run([
    sql`insert into ${terms.action} (id, taken_at, actor, action, event_id)
      select ${by.id}, ${terms.now}, ${by.actor}, 'redispatch', id from ${terms.event}
      where id = ${eventId} and open_commands > 0 returning id`,
    sql`update ${terms.event} set next_sweep_at = ${terms.now} where id = ${eventId} and open_commands > 0`,
  ]);
  return (results[0]?.length ?? 0) > 0;
}

/** The action comes first: it tells by itself whether the command may be changed. One batch for each status it may have. */
async function operate<Tx>(
  context: SqlContext<Tx>,
  commandId: string,
  by: OperatorParams,
  operation: Operation,
): Promise<string | null> {
  for (const from of operation.from) {
    const [recorded] = await context.run(statements(context, commandId, by, operation, from));
    const row = recorded?.[0];
    if (row !== undefined) return String(row["event_id"]);
  }
  return null;
}

function statements<Tx>(
  { terms }: SqlContext<Tx>,
  commandId: string,
  by: OperatorParams,
  { action, set, change, only = raw("1 = 1") }: Operation,
  from: string,
): SqlFragment[] {
  const event = { openStatus: raw("'undispatched'"), nextSweepAt: terms.now };
  const { open, review, failed } = change(from);
  const counts = { open: raw(`(${open})`), review: raw(`(${review})`), failed: raw(`(${failed})`) };
  const record = (source: SqlFragment): SqlFragment =>
    sql`insert into ${terms.action} (id, taken_at, actor, action, event_id, command_id)
      select ${by.id}, ${terms.now}, ${by.actor}, ${action}, event_id, id from ${source} returning event_id`;
  const mayChange = sql`id = ${commandId} and status = ${from} and ${only}`;
  const update = sql`update ${terms.command} set ${set} where ${mayChange}`;
  if (terms.isPostgres) {
    return [
      sql`with c as (${update} returning id, event_id), e as (
        update ${terms.event} as e set ${countedProgress(terms, counts, event)} from c where e.id = c.event_id
      ) ${record(sql`c`)}`,
    ];
  }
  return [
    record(sql`${terms.command} where ${mayChange}`),
    sql`${update} and exists (select 1 from ${terms.action} where id = ${by.id})`,
    sql`update ${terms.event} set ${recountedProgress(terms, event)}
      where id = (select event_id from ${terms.action} where id = ${by.id})`,
  ];
}

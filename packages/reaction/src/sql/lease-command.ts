/** Takes and renews leases, any number at once. Each names the attempt that was seen, or its owner and attempt. */
import type { CommandExecution } from "../model/command-execution.ts";
import type { LeaseHolder, LeaseParams } from "../seam/reaction-store.ts";
import { COMMAND_COLUMNS, readCommandRow } from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { raw, sql, type SqlFragment } from "./sql-text.ts";
import type { SqlTerms } from "./sql-terms.ts";

const RETURNED = raw(COMMAND_COLUMNS.join(", "));
const LEASES = {
  of_event: "text",
  of_command: "text",
  seen_attempt: "bigint",
  new_owner: "text",
  lease_ms: "bigint",
  sweep_in_ms: "bigint",
} as const;
const RENEWALS = { of_command: "text", holder: "text", held_attempt: "bigint", lease_ms: "bigint" } as const;

/** The commands as leased, null for each that was not to be had. No command may occur twice. */
export async function leaseCommands<Tx>(
  context: SqlContext<Tx>,
  all: readonly LeaseParams[],
): Promise<readonly (CommandExecution | null)[]> {
  const { terms } = context;
  const p = terms.records(
    all.map(({ eventId, commandId, owner, seenAttempt, leaseMs, sweepInMs }) => ({
      of_event: eventId,
      of_command: commandId,
      seen_attempt: seenAttempt,
      new_owner: owner,
      lease_ms: Math.round(leaseMs),
      sweep_in_ms: Math.round(sweepInMs),
    })),
    LEASES,
  );
  const set = sql`${leased(terms)}, attempts = ${withCrashed(terms)}`;
  const where = sql`attempt = seen_attempt and ${free(terms)}`;
  const postponed = terms.laterBy(raw("m.sweep_in_ms"));
  const rows = terms.isPostgres
    ? await context.rows(
        sql`${withLockedEvents(terms, p)}, c as (
        update ${terms.command} set ${set} from p, l where ${OWN_EVENT} and ${where} returning ${RETURNED}
      ), e as (
        update ${terms.event} as e set next_sweep_at = ${postponed} from (
          select event_id, max(sweep_in_ms) as sweep_in_ms from c, p where id = of_command group by event_id) as m
        where e.id = m.event_id
      ) select * from c`,
        { prepare: true },
      )
    : (
        await context.run([
          sql`with p as materialized (${p}) update ${terms.command} set ${set} from p
            where id = of_command and ${where} returning ${RETURNED}`,
          sql`with p as materialized (${p}) update ${terms.event} set next_sweep_at = ${postponed} from (
              select of_event, max(sweep_in_ms) as sweep_in_ms from p where exists (
                select 1 from ${terms.command} where id = of_command and lease_owner = new_owner
                and attempt = seen_attempt + 1)
              group by of_event) as m
            where id = m.of_event`,
        ])
      )[0];
  const taken = new Map((rows ?? []).map((row) => [String(row["id"]), readCommandRow(row)]));
  return all.map(({ commandId }) => taken.get(commandId) ?? null);
}

/** Assignments that begin an attempt, from the members `new_owner` and `lease_ms`. */
export function leased(terms: SqlTerms): SqlFragment {
  return sql`status = 'running', attempt = attempt + 1, retry_at = null, lease_owner = new_owner,
    leased_at = ${terms.now}, lease_expires_at = ${terms.laterBy(raw("lease_ms"))}`;
}

/** Whether each lease was still held. */
export async function renewLeases<Tx>(
  context: SqlContext<Tx>,
  all: readonly { readonly holder: LeaseHolder; readonly leaseMs: number }[],
): Promise<readonly boolean[]> {
  const { terms } = context;
  const p = terms.records(
    all.map(({ holder: { commandId, owner, attempt }, leaseMs }) => ({
      of_command: commandId,
      holder: owner,
      held_attempt: attempt,
      lease_ms: Math.round(leaseMs),
    })),
    RENEWALS,
  );
  const rows = await context.rows(
    sql`with p as materialized (${p})
    update ${terms.command} set lease_expires_at = ${terms.laterBy(raw("lease_ms"))} from p
    where ${ownCommand(terms)} and ${HELD} returning id`,
    { prepare: true },
  );
  const renewed = new Set(rows.map(({ id }) => id));
  return all.map(({ holder }) => renewed.has(holder.commandId));
}

/** The attempt of `p` holds the lease. The call keeps Postgres from walking all that run, dead rows of the index included. */
export const HELD: SqlFragment = raw(
  "lease_owner = holder and attempt = held_attempt and coalesce(status, '') = 'running'",
);

/**
 * For Postgres: `p`, and `l` with the rows of its events locked in one order whoever locks them, so that statements about
 * the same events in several processes wait for each other and never in a circle.
 *
 * @param only - which of the events are to be locked; all unless given.
 */
export function withLockedEvents(terms: SqlTerms, p: SqlFragment, only: SqlFragment = raw("true")): SqlFragment {
  return sql`with p as materialized (${p}), l as materialized (
    select id as locked_event from ${terms.event}
    where id = any(array(select of_event from p)) and ${only} order by id for update)`;
}

/** For Postgres: the command of `p`, once its event is locked. The list lets the planner use the key without statistics. */
export const OWN_EVENT: SqlFragment = raw(
  "locked_event = of_event and id = of_command and id = any(array(select of_command from p))",
);

function ownCommand(terms: SqlTerms): SqlFragment {
  return raw(terms.isPostgres ? "id = of_command and id = any(array(select of_command from p))" : "id = of_command");
}

/** Nobody holds it. */
export function free(terms: SqlTerms): SqlFragment {
  return sql`(status in ('pending', 'retryable') or (status = 'running' and lease_expires_at <= ${terms.now}))`;
}

/** The attempts, with one that died among them. */
export function withCrashed(terms: SqlTerms): SqlFragment {
  const crashed = terms.appended(raw("attempts"), {
    attempt: raw("attempt"),
    owner: raw("lease_owner"),
    startedAt: raw("leased_at"),
    finishedAt: raw("null"),
    outcome: raw("'crashed'"),
    error: raw("null"),
  });
  return sql`case when status = 'running' then ${crashed} else attempts end`;
}

/** Writes events and their commands, or finds those of their types and keys. */
import type { CreatedEvent, NewCommand, NewEvent, StoredEvent } from "../seam/reaction-store.ts";
import { readStoredEvent } from "./read-event.ts";
import { readKnownTime } from "./read-rows.ts";
import type { SqlContext } from "./sql-context.ts";
import { join, raw, sql, type SqlFragment } from "./sql-text.ts";

const EVENT_COLUMNS = raw(
  "id, type, idempotency_key, version, payload, payload_hash, status, open_commands, next_sweep_at, occurred_at, created_at",
);
const EVENT_RECORD = {
  id: "text",
  type: "text",
  idempotency_key: "text",
  version: "bigint",
  payload: "text",
  payload_hash: "text",
  status: "text",
  open_commands: "bigint",
  sweep_in_ms: "bigint",
  occurred_at: "bigint",
} as const;
const COMMAND_RECORD = {
  id: "text",
  event_id: "text",
  position: "bigint",
  name: "text",
  mode: "text",
  after_command: "text",
  max_attempts: "bigint",
  input: "text",
} as const;

/** How long a statement for several events waits for another transaction that writes one of their keys. */
const PATIENCE_MS = 50;

/** See the file header; all as one unit. With `tx` everything runs in it, the look at other events too. */
export async function createEvents<Tx>(
  context: SqlContext<Tx>,
  all: readonly NewEvent[],
  tx?: Tx,
): Promise<readonly CreatedEvent[]> {
  const createdAt = await insertNew(context, all, tx);
  const results: CreatedEvent[] = [];
  for (const event of all) {
    const { id, type, idempotencyKey } = event;
    const at = createdAt.get(id);
    if (at !== undefined) {
      results.push(freshEvent(event, at, context.sends(event)));
      continue;
    }
    const known = await readStoredEvent(context, { type, idempotencyKey }, tx);
    if (known === null) throw new Error("the event of this key went away while it was looked at");
    results.push({ ...known, created: false });
  }
  return results;
}

/** When each was created that was, by id. */
async function insertNew<Tx>(
  context: SqlContext<Tx>,
  all: readonly NewEvent[],
  tx: Tx | undefined,
): Promise<ReadonlyMap<string, Date>> {
  const { isPostgres } = context.terms;
  const statements = isPostgres ? insertTogether(context, all) : all.flatMap((event) => insertEach(context, event));
  const sending = new Set(all.filter((event) => context.sends(event)).map(({ id }) => id));
  const results = await context.run(statements, {
    tx,
    ...(sending.size > 0 && {
      sendFor: (written) =>
        written
          .flat()
          .map(({ id }) => String(id))
          .filter((id) => sending.has(id)),
    }),
  });
  return new Map(
    results
      .flat()
      .filter((row) => "created_at" in row)
      .map((row) => [String(row["id"]), readKnownTime(row["created_at"])]),
  );
}

/**
 * For Postgres, where each statement is a round trip of its own. Events are written in the order of their keys, so that
 * senders of the same ones never wait for each other in a circle. Several give up soon when somebody else's transaction
 * holds a key: only the event of that key is to wait for it.
 */
function insertTogether(context: SqlContext<never>, all: readonly NewEvent[]): SqlFragment[] {
  const { terms } = context;
  const p = terms.records(
    all.map((event) => ({
      id: event.id,
      type: event.type,
      idempotency_key: event.idempotencyKey,
      version: event.version,
      payload: event.payload,
      payload_hash: event.payloadHash,
      status: firstStatus(context, event),
      open_commands: event.commands.length,
      sweep_in_ms: Math.round(event.sweepInMs),
      occurred_at: event.occurredAt.getTime(),
    })),
    EVENT_RECORD,
  );
  const x = terms.records(all.flatMap(commandRecords), COMMAND_RECORD);
  const insert = sql`with p as materialized (${p}), e as (
      insert into ${terms.event} (${EVENT_COLUMNS}) select id, type, idempotency_key, version, payload, payload_hash,
        status, open_commands, ${terms.laterBy(raw("sweep_in_ms"))}, occurred_at, ${terms.now} from p
      order by type, idempotency_key on conflict do nothing returning id, created_at
    ), c as (
      insert into ${terms.command} (id, event_id, position, name, mode, after_command, max_attempts, input, status,
        created_at)
      select x.id, e.id, x.position, x.name, x.mode, x.after_command, x.max_attempts, x.input, 'pending', e.created_at
      from e, (${x}) as x where x.event_id = e.id
    ) select id, created_at from e`;
  if (all.length === 1) return [insert];
  return [sql`select set_config('lock_timeout', ${`${PATIENCE_MS}ms`}, true)`, insert];
}

function commandRecords({ id: eventId, commands }: NewEvent): Readonly<Record<string, number | string | null>>[] {
  return commands.map(({ after, maxAttempts, ...rest }) => ({
    ...rest,
    event_id: eventId,
    after_command: after,
    max_attempts: maxAttempts,
  }));
}

/**
 * The event, then each command if the event is ours: a row each, for databases that bind few values. A try whose answer
 * was lost has written them already.
 */
function insertEach(context: SqlContext<never>, event: NewEvent): SqlFragment[] {
  return [
    sql`${insertEvent(context, event)} returning id, created_at`,
    ...event.commands.map((command) => insertCommand(context, event.id, command)),
  ];
}

function firstStatus(context: SqlContext<never>, event: NewEvent): "dispatched" | "pending" {
  return context.sends(event) ? "dispatched" : "pending";
}

function insertEvent(context: SqlContext<never>, event: NewEvent): SqlFragment {
  const { terms } = context;
  const values: SqlFragment[] = [
    sql`${event.id}`,
    sql`${event.type}`,
    sql`${event.idempotencyKey}`,
    sql`cast(${event.version} as integer)`,
    sql`${event.payload}`,
    sql`${event.payloadHash}`,
    sql`${firstStatus(context, event)}`,
    sql`cast(${event.commands.length} as integer)`,
    terms.later(event.sweepInMs),
    sql`cast(${event.occurredAt.getTime()} as bigint)`,
    terms.now,
  ];
  return sql`insert into ${terms.event} (${EVENT_COLUMNS}) values (${join(values, ", ")}) on conflict do nothing`;
}

function insertCommand({ terms }: SqlContext<never>, eventId: string, command: NewCommand): SqlFragment {
  const { id, position, name, mode, after, maxAttempts, input } = command;
  return sql`insert into ${terms.command}
    (id, event_id, position, name, mode, after_command, max_attempts, input, status, created_at)
    select ${id}, e.id, ${position}, ${name}, ${mode}, ${after}, ${maxAttempts}, ${input}, 'pending', e.created_at
    from ${terms.event} as e where e.id = ${eventId} on conflict do nothing`;
}

/** What was written, without reading it back. */
function freshEvent(event: NewEvent, now: Date, sent: boolean): CreatedEvent {
  const { id, type, idempotencyKey, version, payload, payloadHash, occurredAt, sweepInMs, commands } = event;
  return {
    created: true,
    now,
    event: {
      id,
      type,
      idempotencyKey,
      version,
      payload: JSON.parse(payload) as StoredEvent["event"]["payload"],
      payloadHash,
      status: sent ? "dispatched" : "pending",
      sweeps: 0,
      nextSweepAt: new Date(now.getTime() + sweepInMs),
      occurredAt,
      createdAt: now,
      finishedAt: null,
    },
    commands: commands.map((command) => freshCommand(id, command, now)),
  };
}

function freshCommand(eventId: string, command: NewCommand, now: Date): StoredEvent["commands"][number] {
  return {
    ...command,
    eventId,
    input: JSON.parse(command.input) as StoredEvent["event"]["payload"],
    status: "pending",
    attempt: 0,
    retryAt: null,
    lease: null,
    result: null,
    resultDropped: false,
    error: null,
    attempts: [],
    createdAt: now,
    finishedAt: null,
  };
}

/** Rows of the two main tables as records. */
import type { Alert, AlertCode, AlertSeverity } from "../model/alert.ts";
import type {
  AttemptRecord,
  CommandError,
  CommandExecution,
  CommandMode,
  CommandStatus,
} from "../model/command-execution.ts";
import type { EventExecution, EventStatus } from "../model/event-execution.ts";
import type { JsonValue } from "../model/json-value.ts";
import type { OperatorAction } from "../seam/reaction-store.ts";
import type { SqlRow } from "../seam/sql-database.ts";

/** Columns that make an event. */
export const EVENT_COLUMNS: readonly string[] = [
  "id",
  "type",
  "idempotency_key",
  "version",
  "payload",
  "payload_hash",
  "status",
  "sweeps",
  "next_sweep_at",
  "occurred_at",
  "created_at",
  "finished_at",
];

/** Columns that make a command. */
export const COMMAND_COLUMNS: readonly string[] = [
  "id",
  "event_id",
  "position",
  "name",
  "mode",
  "after_command",
  "max_attempts",
  "input",
  "status",
  "attempt",
  "retry_at",
  "lease_owner",
  "lease_expires_at",
  "leased_at",
  "result",
  "result_dropped",
  "error",
  "attempts",
  "created_at",
  "finished_at",
];

/** An event of columns whose names begin with `prefix`. */
export function readEventRow(row: SqlRow, prefix = ""): EventExecution {
  const column = (name: string): unknown => row[prefix + name];
  return {
    id: String(column("id")),
    type: String(column("type")),
    idempotencyKey: String(column("idempotency_key")),
    version: Number(column("version")),
    payload: readJson(column("payload")),
    payloadHash: String(column("payload_hash")),
    status: column("status") as EventStatus,
    sweeps: Number(column("sweeps")),
    nextSweepAt: readTime(column("next_sweep_at")),
    occurredAt: readKnownTime(column("occurred_at")),
    createdAt: readKnownTime(column("created_at")),
    finishedAt: readTime(column("finished_at")),
  };
}

/** A command of columns whose names begin with `prefix`. */
export function readCommandRow(row: SqlRow, prefix = ""): CommandExecution {
  const column = (name: string): unknown => row[prefix + name];
  const owner = readText(column("lease_owner"));
  return {
    id: String(column("id")),
    eventId: String(column("event_id")),
    position: Number(column("position")),
    name: String(column("name")),
    mode: column("mode") as CommandMode,
    after: readText(column("after_command")),
    maxAttempts: Number(column("max_attempts")),
    input: readJson(column("input")),
    status: column("status") as CommandStatus,
    attempt: Number(column("attempt")),
    retryAt: readTime(column("retry_at")),
    lease:
      owner === null
        ? null
        : {
            owner,
            takenAt: readKnownTime(column("leased_at")),
            expiresAt: readKnownTime(column("lease_expires_at")),
          },
    result: readJson(column("result")),
    resultDropped: Number(column("result_dropped")) === 1,
    error: readJson(column("error")) as CommandError | null,
    attempts: (JSON.parse(String(column("attempts"))) as readonly StoredAttempt[]).map(readAttempt),
    createdAt: readKnownTime(column("created_at")),
    finishedAt: readTime(column("finished_at")),
  };
}

/** An alert. */
export function readAlertRow(row: SqlRow): Alert {
  return {
    id: String(row["id"]),
    raisedAt: readKnownTime(row["raised_at"]),
    severity: row["severity"] as AlertSeverity,
    code: row["code"] as AlertCode,
    message: String(row["message"]),
    eventId: readText(row["event_id"]),
    commandId: readText(row["command_id"]),
    queue: readText(row["queue"]),
    messageId: readText(row["message_id"]),
  };
}

/** An operator's action. */
export function readActionRow(row: SqlRow): OperatorAction {
  return {
    id: String(row["id"]),
    takenAt: readKnownTime(row["taken_at"]),
    actor: String(row["actor"]),
    action: row["action"] as OperatorAction["action"],
    eventId: String(row["event_id"]),
    commandId: readText(row["command_id"]),
  };
}

/** A time of milliseconds since the epoch. */
export function readKnownTime(value: unknown): Date {
  return new Date(Number(value));
}

interface StoredAttempt {
  readonly attempt: number;
  readonly owner: string;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly outcome: AttemptRecord["outcome"];
  readonly error: CommandError | null;
}

function readAttempt({ startedAt, finishedAt, ...rest }: StoredAttempt): AttemptRecord {
  return { ...rest, startedAt: readKnownTime(startedAt), finishedAt: readTime(finishedAt) };
}

function readTime(value: unknown): Date | null {
  return value === null || value === undefined ? null : readKnownTime(value);
}

function readText(value: unknown): string | null {
  return value === null || value === undefined ? null : (value as string);
}

function readJson(value: unknown): JsonValue {
  return value === null || value === undefined ? null : (JSON.parse(value as string) as JsonValue);
}

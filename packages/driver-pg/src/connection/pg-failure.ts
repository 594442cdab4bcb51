/** Errors of `pg` and Postgres as one closed set of reasons. The only place that looks at SQLSTATEs and message text. */
import { DatabaseOperationError, databaseCause } from "riverqueue/driver";

/** Why a Postgres operation failed; `details.reason` of its `DatabaseOperationError`. */
export type PgFailureReason =
  | "authentication"
  | "closed"
  | "connection"
  | "constraint"
  | "full"
  | "lock"
  | "malformed"
  | "missing"
  | "other"
  | "permission"
  | "prepared"
  | "readonly"
  | "resources"
  | "serialization"
  | "shutdown"
  | "timeout"
  | "too_big";

interface FailureFacts {
  readonly text: string;
  readonly retryable: boolean;
  /** A value of one row is to blame, so that other rows of the same statement can be written. */
  readonly rowCaused: boolean;
}

const again = (text: string): FailureFacts => ({ text, retryable: true, rowCaused: false });
const never = (text: string): FailureFacts => ({ text, retryable: false, rowCaused: false });
const byRow = (text: string): FailureFacts => ({ text, retryable: false, rowCaused: true });

const FACTS: Readonly<Record<PgFailureReason, FailureFacts>> = {
  // Only while connecting. It passes while the process runs, as when a password or certificate is being rotated.
  authentication: again("the connection could not be made: the server does not let this user in"),
  closed: never("the pool or client is closed"),
  connection: again("the connection could not be made or was lost"),
  constraint: byRow("a constraint was violated"),
  full: again("the server has no connection left"),
  lock: again("a lock could not be had"),
  malformed: byRow("a value is malformed or out of range"),
  missing: never("a table, column or schema is missing"),
  other: never("Postgres refused the statement"),
  permission: never("permission was denied"),
  prepared: again("the prepared statement is not known any more, or outdated"),
  readonly: again("the database is read-only at present"),
  // Repaired while the process runs, so what waits for it must not be lost.
  resources: again("the server is out of disk or memory, or one of its devices fails"),
  serialization: again("the transaction conflicted with another one"),
  shutdown: again("the server is starting, stopping or ended the session"),
  timeout: again("the statement was cancelled, or took longer than its limit"),
  too_big: byRow("a value is too big or nested too deeply"),
};

const REASON_OF_SQLSTATE: Readonly<Record<string, PgFailureReason>> = {
  "25006": "readonly",
  "25P03": "shutdown",
  "25P04": "shutdown",
  "26000": "prepared",
  "3F000": "missing",
  "40001": "serialization",
  "40P01": "lock",
  "42501": "permission",
  "42703": "missing",
  "42P01": "missing",
  "42P05": "prepared",
  "53300": "full",
  "55P03": "lock",
  "57014": "timeout",
  "57P01": "shutdown",
  "57P02": "shutdown",
  "57P03": "shutdown",
  "57P05": "shutdown",
};

const REASON_OF_CLASS: Readonly<Record<string, PgFailureReason>> = {
  "08": "connection",
  "22": "malformed",
  "23": "constraint",
  "28": "authentication",
  "53": "resources",
  "54": "too_big",
  "58": "resources",
};

const UNIQUE_INDEX = "river_job_unique_idx";
/** How far down a chain of causes an adapter's error is looked into. */
const CAUSES = 4;

/** The SQLSTATE behind `error`, also when a library has wrapped it; null when the server did not answer with one. */
export function sqlstateOf(error: unknown): string | null {
  let current = error;
  for (let depth = 0; depth < CAUSES && typeof current === "object" && current !== null; depth++) {
    const { code, cause } = current as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)) return code;
    current = cause;
  }
  return null;
}

/** `pg` has no codes for its own errors. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && /after calling end on the pool|Client was closed/.test(error.message);
}

function reasonOf(error: unknown): PgFailureReason {
  const sqlstate = sqlstateOf(error);
  if (sqlstate === null) return isClosed(error) ? "closed" : "connection";
  return REASON_OF_SQLSTATE[sqlstate] ?? REASON_OF_CLASS[sqlstate.slice(0, 2)] ?? "other";
}

/** The connection is of no use after this error. */
export function breaksConnection(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === "connection" || reason === "closed" || reason === "shutdown";
}

/** The unique index of jobs refused a row. */
export function isUniqueKeyConflict(error: unknown): boolean {
  if (!(error instanceof DatabaseOperationError)) return false;
  const { constraint } = (error.cause ?? {}) as { readonly constraint?: unknown };
  // An adapter may not pass the name on; nothing else that River writes to this table is unique but the ID.
  return error.details["sqlstate"] === "23505" && (constraint === undefined || constraint === UNIQUE_INDEX);
}

/** A value of one row is to blame. */
export function isRowCaused(error: unknown): boolean {
  return error instanceof DatabaseOperationError && error.details["rowCaused"] === true;
}

/** A named statement was refused, most likely by a pooler that hands its sessions around. */
export function isPreparedRefusal(error: unknown): boolean {
  return reasonOf(error) === "prepared";
}

/** The result of a prepared statement has other types by now. The code alone stands for much else. */
export function isOutdatedPlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { readonly code?: unknown; readonly routine?: unknown };
  return code === "0A000" && routine === "RevalidateCachedQuery";
}

/** What a connection threw, as a `DatabaseOperationError`. */
export function translateFailure(error: unknown, operation: string): DatabaseOperationError {
  if (error instanceof DatabaseOperationError) return error;
  return operationError(reasonOf(error), operation, { cause: error });
}

/** The error for `reason`. */
export function operationError(
  reason: PgFailureReason,
  operation: string,
  options: { readonly cause?: unknown; readonly text?: string } = {},
): DatabaseOperationError {
  const { text, retryable, rowCaused } = FACTS[reason];
  const sqlstate = sqlstateOf(options.cause);
  const code = sqlstate === null ? "" : ` (SQLSTATE ${sqlstate})`;
  return new DatabaseOperationError(`${operation}: ${options.text ?? text}${code}`, {
    backend: "postgres",
    operation,
    retryable,
    details: { reason, rowCaused, ...(sqlstate === null ? {} : { sqlstate }) },
    ...(options.cause === undefined ? {} : { cause: databaseCause(options.cause) }),
  });
}

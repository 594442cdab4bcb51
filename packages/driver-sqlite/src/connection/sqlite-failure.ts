/** Errors of `node:sqlite` as one closed set of reasons. The only place that looks at result codes and message text. */
import { DatabaseOperationError, databaseCause } from "riverqueue/driver";

/** Why a SQLite operation failed; `details.reason` of its `DatabaseOperationError`. */
export type SqliteFailureReason =
  | "busy"
  | "closed"
  | "constraint"
  | "corrupt"
  | "full"
  | "io"
  | "malformed"
  | "other"
  | "readonly"
  | "timeout"
  | "too_big";

interface FailureFacts {
  readonly text: string;
  /** Full disks and failing devices are repaired while the process runs, so what waits for them must not be lost. */
  readonly retryable: boolean;
  /** A value of one row is to blame, so that other rows of the same statement can be written. */
  readonly rowCaused: boolean;
}

const FACTS: Readonly<Record<SqliteFailureReason, FailureFacts>> = {
  busy: { text: "the database is locked", retryable: true, rowCaused: false },
  closed: { text: "the connection is closed", retryable: false, rowCaused: false },
  constraint: { text: "a constraint was violated", retryable: false, rowCaused: true },
  corrupt: { text: "the file is damaged or no SQLite database", retryable: false, rowCaused: false },
  full: { text: "the database or disk is full", retryable: true, rowCaused: false },
  io: { text: "the file could not be opened, read or written", retryable: true, rowCaused: false },
  malformed: { text: "a JSON value is malformed or nested too deeply", retryable: false, rowCaused: true },
  other: { text: "SQLite refused the statement", retryable: false, rowCaused: false },
  readonly: { text: "the database is read-only", retryable: false, rowCaused: false },
  timeout: { text: "it took too long", retryable: true, rowCaused: false },
  too_big: { text: "a value is too big", retryable: false, rowCaused: true },
};

// Primary result codes of SQLite.
const REASON_OF_CODE: Readonly<Record<number, SqliteFailureReason>> = {
  5: "busy",
  6: "busy",
  7: "io",
  8: "readonly",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "io",
  15: "busy",
  18: "too_big",
  19: "constraint",
  26: "corrupt",
};

const BUSY_SNAPSHOT = 517;
const CONSTRAINT_UNIQUE = 2067;

/** SQLite's extended result code, or null when `error` is none of SQLite's. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  return typeof error.errcode === "number" ? error.errcode : null;
}

/** The reason behind `error`, or null when it did not come from `node:sqlite`. */
export function failureReason(error: unknown): SqliteFailureReason | null {
  const code = resultCode(error);
  if (code === null) {
    const closed = error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE";
    return closed ? "closed" : null;
  }
  if ((code & 0xff) === 1 && (error as Error).message.includes("malformed JSON")) return "malformed";
  return REASON_OF_CODE[code & 0xff] ?? "other";
}

/** Another connection holds a lock: the same statement may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return failureReason(error) === "busy";
}

/** The transaction read something that is outdated by now, so it can never write: only a new one can. */
export function isStaleSnapshot(error: unknown): boolean {
  return resultCode(error) === BUSY_SNAPSHOT;
}

/** A unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  return resultCode(error) === CONSTRAINT_UNIQUE;
}

/** A value of one row is to blame, or the application's trigger or foreign key refuses the row. */
export function isRowCaused(error: unknown): boolean {
  if (error instanceof DatabaseOperationError) return error.details["rowCaused"] === true;
  const reason = failureReason(error);
  return reason !== null && FACTS[reason].rowCaused;
}

/** `error` as a `DatabaseOperationError` if it is SQLite's, and as it is otherwise. */
export function translateFailure(error: unknown, operation: string): unknown {
  const reason = failureReason(error);
  return reason === null ? error : operationError(reason, operation, { cause: error });
}

/** The error for `reason`. */
export function operationError(
  reason: SqliteFailureReason,
  operation: string,
  options: { readonly cause?: unknown; readonly text?: string } = {},
): DatabaseOperationError {
  const { text, retryable, rowCaused } = FACTS[reason];
  const code = resultCode(options.cause);
  return new DatabaseOperationError(`${operation}: ${options.text ?? text}`, {
    backend: "sqlite",
    operation,
    retryable,
    details: { reason, rowCaused, ...(code === null ? {} : { resultCode: code }) },
    ...(options.cause === undefined ? {} : { cause: databaseCause(options.cause) }),
  });
}

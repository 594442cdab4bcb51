/**
 * The copy of a driver's error that may travel as a `cause`. Loggers print causes with all their properties, and a
 * driver's error carries statement text, bound values and row contents.
 */

const FIELDS = ["code", "severity", "constraint", "table", "column", "routine"] as const;
const FIELD_LIMIT = 256;

type DatabaseCauseFields = Partial<Record<(typeof FIELDS)[number], string>>;

/** What is left of a driver's error: a neutral message and the fields that name objects of the schema, never contents. */
export class DatabaseCause extends Error {
  static {
    this.prototype.name = "DatabaseCause";
  }

  /** SQLSTATE of Postgres, or the driver's or operating system's own code. */
  declare readonly code?: string;
  declare readonly severity?: string;
  declare readonly constraint?: string;
  declare readonly table?: string;
  declare readonly column?: string;
  /** Name of the function in the server that raised the error. */
  declare readonly routine?: string;

  constructor(fields: DatabaseCauseFields) {
    super("error of the database driver");
    Object.assign(this, fields);
  }
}

/** Copies the safe fields of anything a database driver threw. A copy is returned as it is. Never throws. */
export function databaseCause(thrown: unknown): DatabaseCause {
  try {
    if (thrown instanceof DatabaseCause) return thrown;
  } catch {
    // A revoked proxy has no prototype to ask for; its fields are unreadable as well.
  }
  const fields: DatabaseCauseFields = {};
  for (const field of FIELDS) {
    const value = readField(thrown, field);
    if (value !== undefined) fields[field] = value;
  }
  return new DatabaseCause(fields);
}

function readField(thrown: unknown, field: (typeof FIELDS)[number]): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  try {
    const value = (thrown as Record<string, unknown>)[field];
    return typeof value === "string" ? value.slice(0, FIELD_LIMIT) : undefined;
  } catch {
    return undefined;
  }
}

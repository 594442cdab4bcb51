// Failures of the database itself: a full disk, a damaged file, a server that has gone. Whichever part of a run meets one first, the run ends with
// one line about it. A service would rather wait for a disk that somebody clears; here somebody sits there.
import { DatabaseOperationError, MigrationError } from "riverqueue";
import { DemoProblem } from "./demo-problem.ts";
import { StatementFailure } from "./statement-failure.ts";

/** Primary result code of SQLite: another connection holds the lock. */
const SQLITE_BUSY = 5;

/** Reasons of River's drivers for which the same statement can succeed right away: somebody else was in the way. */
const PASSING: ReadonlySet<unknown> = new Set(["busy", "lock", "prepared", "serialization", "timeout"]);

/** Notes the first failure of the database that does not pass by itself. */
export class DatabaseTrouble {
  readonly #met = Promise.withResolvers<never>();
  #error: unknown = null;

  constructor() {
    this.#met.promise.catch(() => undefined);
  }

  /** Rejects with the first failure. */
  get met(): Promise<never> {
    return this.#met.promise;
  }

  /** Whether there was one. */
  get isMet(): boolean {
    return this.#error !== null;
  }

  /** Looks at an error that River is going to deal with. One that is none of the database's, or passes, is nothing. */
  note(error: unknown): void {
    if (describeFailure(error) === null || passes(error)) return;
    this.#error ??= error;
    this.#met.reject(this.#error);
  }

  /** @throws the first failure, if there was one. */
  throwIfMet(): void {
    if (this.isMet) throw this.#error;
  }
}

/**
 * The error as something that the user can put right, if it is one of the database; any other as it is.
 *
 * @param shown Names the database for people.
 */
export function toDatabaseProblem(error: unknown, shown: string): unknown {
  const failure = describeFailure(error);
  return failure === null ? error : new DemoProblem(`the database ${shown} failed: ${failure}`);
}

/** What failed; null when the database did not. */
function describeFailure(error: unknown): string | null {
  // The clean-up after a failure has failed as well.
  if (error instanceof SuppressedError) return describeFailure(error.suppressed);
  if (error instanceof DatabaseOperationError || error instanceof MigrationError) return error.message;
  // Statements of the demo's own.
  return error instanceof StatementFailure || isSqliteError(error) ? error.message : null;
}

function passes(error: unknown): boolean {
  if (isSqliteError(error)) return (error.errcode & 0xff) === SQLITE_BUSY;
  if (error instanceof StatementFailure) return error.passes;
  return error instanceof DatabaseOperationError && PASSING.has(error.details["reason"]);
}

function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR" && "errcode" in error;
}

// Failures of the database itself: a full disk, a damaged file. Whichever part of a run meets one first, the run ends with
// one line about it. A service would rather wait for a disk that somebody clears; here somebody sits there.
import { DatabaseOperationError, MigrationError } from "riverqueue";
import { DemoProblem } from "./demo-problem.ts";
import { showText } from "./stored-path.ts";

/** Primary result code of SQLite: another connection holds the lock. */
const SQLITE_BUSY = 5;

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

  /** Looks at an error that River is going to deal with. One that is none of the database's, or a lock, is nothing. */
  note(error: unknown): void {
    if (describeFailure(error) === null || isBusy(error)) return;
    this.#error ??= error;
    this.#met.reject(this.#error);
  }

  /** @throws the first failure, if there was one. */
  throwIfMet(): void {
    if (this.isMet) throw this.#error;
  }
}

/** The error as something that the user can put right, if it is one of the database; any other as it is. */
export function toDatabaseProblem(error: unknown, databasePath: string): unknown {
  const failure = describeFailure(error);
  return failure === null ? error : new DemoProblem(`the database ${showText(databasePath)} failed: ${failure}`);
}

/** What failed; null when the database did not. */
function describeFailure(error: unknown): string | null {
  // The clean-up after a failure has failed as well.
  if (error instanceof SuppressedError) return describeFailure(error.suppressed);
  if (error instanceof DatabaseOperationError || error instanceof MigrationError) return error.message;
  // A statement of the demo's own.
  return isSqliteError(error) ? error.message : null;
}

function isBusy(error: unknown): boolean {
  if (isSqliteError(error)) return (error.errcode & 0xff) === SQLITE_BUSY;
  return error instanceof DatabaseOperationError && error.details["reason"] === "busy";
}

function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR" && "errcode" in error;
}

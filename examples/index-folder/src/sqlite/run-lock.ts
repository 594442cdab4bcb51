// At most one run works on a database. Results would be single without this, because a job is completed together with its
// results; but a run that knows itself alone can tell at once that a job which is `running` belongs to a killed one.
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { DemoProblem } from "../demo-problem.ts";

const POLL_MS = 200;

/** Result code of SQLite: another connection holds the lock. */
const SQLITE_BUSY = 5;

/**
 * Waits until no other run of this user works on a database, and keeps others waiting from then on.
 *
 * The lock is one of SQLite's, on an empty file among the temporary ones. The system releases it when the process ends,
 * however it ends. The file stays: who removes it could remove the one that somebody is about to lock.
 *
 * @param databasePath Names the lock; it need not exist.
 * @param onWait Called once, when there is another run.
 * @param signal Ends the waiting.
 * @returns null when the waiting was ended.
 * @throws DemoProblem when there can be no such file.
 */
export async function takeRunLock(
  databasePath: string,
  onWait: () => void,
  signal: AbortSignal,
): Promise<Disposable | null> {
  using attempt = new DisposableStack();
  const lock = attempt.use(open(lockPath(databasePath)));
  for (let tries = 0; !isTaken(lock); tries++) {
    if (tries === 0) onWait();
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return null;
  }
  return attempt.move();
}

function lockPath(databasePath: string): string {
  const name = createHash("sha256").update(databasePath).digest("hex").slice(0, 16);
  return join(tmpdir(), `river-index-folder-${process.getuid?.() ?? "user"}-${name}.lock`);
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw new DemoProblem(`cannot create ${path}: ${(error as Error).message}`);
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    // Nothing is ever written, so there is nothing to keep a journal of.
    lock.exec("pragma journal_mode = off; begin exclusive");
    return true;
  } catch (error) {
    if ((error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY) return false;
    throw new DemoProblem(`cannot lock ${lock.location()}: ${(error as Error).message}`);
  }
}

/** What `emit` answers. */
import type { CommandError, CommandExecution, CommandMode, CommandStatus } from "../model/command-execution.ts";
import type { EventExecution } from "../model/event-execution.ts";
import type { JsonValue } from "../model/json-value.ts";

/**
 * - `accepted`: the new event and its commands are stored and have begun to run or been queued. Says nothing about what
 *   becomes of them: look at `commands`.
 * - `duplicate`: an event of this type and key exists; `event` and `commands` are its records.
 * - `ignored`: no policy wanted a command; nothing is stored and the key is not taken.
 * - `abandoned`: given up after several tries, logged and alerted; no success. With an event it is stored, not handed over
 *   yet, and the sweeper will do so. With `event` null no record was found; only where the store has given no answer at
 *   all may there be one, and the alert says so. Emitting it again under the same key is safe in either case.
 */
export type EmitStatus = "abandoned" | "accepted" | "duplicate" | "ignored";

/** One command as it stands. */
export interface EmittedCommand {
  readonly executionId: string;
  readonly name: string;
  readonly mode: CommandMode;
  readonly status: CommandStatus;
  readonly attempt: number;
  readonly error: CommandError | null;
  readonly result: JsonValue;
}

/** See {@link EmitStatus}. */
export interface EmitResult {
  readonly status: EmitStatus;
  readonly event: EventExecution | null;
  /** In declared order. */
  readonly commands: readonly EmittedCommand[];
  /** A duplicate whose payload is another than the original's, which is kept. Absent otherwise. */
  readonly payloadMismatch?: true;
  /** Why it was abandoned. Absent otherwise. */
  readonly error?: unknown;
}

/** What `emit` answers inside a transaction of the caller. */
export interface PendingEmitResult extends EmitResult {
  /**
   * After the commit: runs the sync commands, hands the others over, and answers as `emit` does. Never called, the sweeper
   * does the work.
   *
   * @throws LifecycleError before the commit or after a rollback, when there is no record.
   */
  readonly settle: () => Promise<EmitResult>;
}

/** A result; commands in declared order. */
export function emitResult(
  status: EmitStatus,
  event: EventExecution | null,
  commands: readonly CommandExecution[],
  more: Pick<EmitResult, "error" | "payloadMismatch"> = {},
): EmitResult {
  const inOrder = commands.toSorted((a, b) => a.position - b.position);
  return Object.freeze({ status, event, commands: Object.freeze(inOrder.map(emittedCommand)), ...more });
}

function emittedCommand(execution: CommandExecution): EmittedCommand {
  const { id: executionId, name, mode, status, attempt, error, result } = execution;
  return Object.freeze({ executionId, name, mode, status, attempt, error, result });
}

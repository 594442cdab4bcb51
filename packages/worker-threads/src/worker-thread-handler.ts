/** What a handler in a thread is, and what it is given. */
import type { JobDefinition, WorkContext, WorkOutcome } from "riverqueue";

/**
 * What a handler in a thread gets: the part of a handler's context that needs neither connection nor state of the
 * client. What it logs and records is sent to the client's thread and arrives there in order, before the handler's
 * result. Attributes, output and metadata must be JSON.
 *
 * `signal` may be looked at from code that never lets its event loop turn: `signal.aborted` and
 * `signal.throwIfAborted()` hear of an abort at once.
 */
export type WorkerThreadWorkContext<Definition extends JobDefinition = JobDefinition> = Pick<
  WorkContext<Definition>,
  "execution" | "job" | "logger" | "recordOutput" | "setMetadata" | "signal"
>;

/** A handler in a thread, the named export of an ES module. It succeeds and fails like any handler. */
export type WorkerThreadWorkHandler<Definition extends JobDefinition = JobDefinition> = (
  context: WorkerThreadWorkContext<Definition>,
) => PromiseLike<WorkOutcome | void> | WorkOutcome | void;

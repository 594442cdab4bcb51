/** Makes the errors that attempts in threads fail with. */
import { faultOf } from "../protocol/fault-of.ts";
import type { ThreadFault } from "../protocol/messages.ts";
import { WorkerThreadHandlerError } from "../worker-thread-handler-error.ts";

/** @param reason - of the attempt's abort; the cause of an error that the abort led to. */
export function handlerError(fault: ThreadFault, reason: unknown): WorkerThreadHandlerError {
  const { name, message, stack } = fault;
  const error = new WorkerThreadHandlerError(message, { name, stack });
  if (fault.stopped && reason !== undefined) {
    Object.defineProperty(error, "cause", { value: reason, configurable: true, writable: true });
  }
  return error;
}

/** @param workerError - of the thread's `error` event, if there was one. */
export function lostThreadError(workerError: unknown, exitCode: number): WorkerThreadHandlerError {
  if (workerError !== null) return handlerError(faultOf(workerError, "handler"), undefined);
  return new WorkerThreadHandlerError(`worker thread exited with code ${exitCode} before the handler had settled`);
}

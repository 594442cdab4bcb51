/**
 * Tells failures of background work apart: transient ones are retried and logged as warnings, permanent ones end the
 * runtime because no retry can mend them, all others are retried and logged as errors.
 */
import { BackendMismatchError } from "../model/errors/backend-mismatch-error.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { isRetryableError } from "../model/errors/is-retryable-error.ts";
import { UnsupportedCapabilityError } from "../model/errors/unsupported-capability-error.ts";
import type { LogAttributes, Logger } from "./logger.ts";

/** Whether retrying cannot help: wrong configuration, missing capability, wrong backend. */
export function isPermanentFailure(error: unknown): boolean {
  return (
    error instanceof ConfigurationError ||
    error instanceof BackendMismatchError ||
    error instanceof UnsupportedCapabilityError
  );
}

/** Logs a failure that will be retried: a warning when it is transient, an error otherwise. */
export function logBackgroundFailure(logger: Logger, error: unknown, attributes: LogAttributes, message: string): void {
  logger[isRetryableError(error) ? "warn" : "error"]({ ...attributes, error }, message);
}

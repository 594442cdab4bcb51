/** The question to ask before trying a failed call again. */
import { RiverError } from "./river-error.ts";

/**
 * Whether `error` is an error of River's that says the same call may succeed later. Accepts any thrown value and never
 * throws.
 */
export function isRetryableError(error: unknown): error is RiverError & { readonly retryable: true } {
  try {
    return error instanceof RiverError && error.retryable;
  } catch {
    // A revoked proxy cannot even be asked for its prototype.
    return false;
  }
}

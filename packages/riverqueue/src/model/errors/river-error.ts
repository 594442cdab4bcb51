/** Base of every error that River throws on purpose. Messages, details and causes hold no payloads, SQL or credentials. */
import type { RiverErrorCode } from "./river-error-code.ts";

/** What every subclass accepts beside its own arguments. */
export interface RiverErrorSubclassOptions {
  /** The error behind this one. */
  readonly cause?: unknown;
  /** Facts for logs, without secrets; copied and frozen. Nothing by default. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the same call may succeed when made again later. False by default. */
  readonly retryable?: boolean | undefined;
}

/** Options of {@link RiverError} itself. */
export interface RiverErrorOptions extends RiverErrorSubclassOptions {
  readonly code: RiverErrorCode;
}

/** An error of River's. Tell errors apart by class or by `code`, never by message. */
export class RiverError extends Error {
  static {
    this.prototype.name = "RiverError";
  }

  /** Literal code of the kind of failure. */
  readonly code: RiverErrorCode;
  /** Frozen facts for logs, without secrets; an empty object when there are none. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Whether the same call may succeed when made again later. */
  readonly retryable: boolean;

  constructor(message: string, options: RiverErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.details = Object.freeze({ ...options.details });
    this.retryable = options.retryable ?? false;
  }
}

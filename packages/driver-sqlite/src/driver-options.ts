/** Options of the driver and of `transaction()`, checked once. */
import { ConfigurationError, ValidationError } from "riverqueue/driver";

const BUSY_TIMEOUT_DEFAULT_MS = 5_000;

/** Options of {@link transaction}. */
export interface SqliteTransactionOptions {
  /**
   * How long to try again while another connection holds a lock, for `BEGIN` and for `COMMIT` each. Default 5 seconds.
   * A day is 24 hours; larger calendar units are refused.
   */
  readonly busyTimeout?: Temporal.Duration | Temporal.DurationLike | undefined;
}

/** Options of a `SqliteDriver`. */
export interface SqliteDriverOptions {
  /**
   * How long one operation tries again while another connection holds a lock, before it fails with a retryable
   * `DatabaseOperationError`. Default 5 seconds. A day is 24 hours; larger calendar units are refused.
   */
  readonly busyTimeout?: Temporal.Duration | Temporal.DurationLike | undefined;
}

/** Checked options. */
export interface ResolvedBusyOptions {
  readonly busyTimeoutMs: number;
}

/** @throws ConfigurationError naming everything wrong. */
export function resolveDriverOptions(options: unknown): ResolvedBusyOptions {
  return resolve(options, (message) => new ConfigurationError(message));
}

/** @throws ValidationError naming everything wrong. */
export function resolveTransactionOptions(options: unknown): ResolvedBusyOptions {
  return resolve(options, (message) => new ValidationError(message));
}

function resolve(options: unknown, failure: (message: string) => Error): ResolvedBusyOptions {
  if (options === undefined) return { busyTimeoutMs: BUSY_TIMEOUT_DEFAULT_MS };
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw failure("options: expected an object");
  }
  const problems = Object.keys(options)
    .filter((key) => key !== "busyTimeout")
    .map((key) => `options.${key}: unknown option, expected busyTimeout`);
  const { busyTimeout } = options as SqliteDriverOptions;
  const busyTimeoutMs = busyTimeout === undefined ? BUSY_TIMEOUT_DEFAULT_MS : milliseconds(busyTimeout);
  if (busyTimeoutMs === null) {
    problems.push(
      "options.busyTimeout: expected a duration of 0 or more, in days or smaller units, like { seconds: 5 }",
    );
  }
  if (problems.length > 0 || busyTimeoutMs === null) throw failure(problems.join("; "));
  return { busyTimeoutMs };
}

/** Length of a duration, or null when it is none, is negative or has no fixed length. */
function milliseconds(value: unknown): number | null {
  if (typeof value !== "object" || value === null) return null;
  try {
    // `Temporal` would take null, text and truth values for numbers.
    if (!Object.values(value).every((field) => field === undefined || typeof field === "number")) return null;
    const duration = Temporal.Duration.from(value);
    if (duration.years !== 0 || duration.months !== 0 || duration.weeks !== 0 || duration.sign < 0) return null;
    return duration.total({ unit: "milliseconds" });
  } catch {
    return null;
  }
}

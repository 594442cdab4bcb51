/** Options of the driver and of `transaction()`, checked once. */
import { OptionProblems, readDuration } from "riverqueue/driver";

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
  const { problems, resolved } = resolve(options);
  problems.throwConfiguration();
  return resolved;
}

/** @throws ValidationError naming everything wrong. */
export function resolveTransactionOptions(options: unknown): ResolvedBusyOptions {
  const { problems, resolved } = resolve(options);
  problems.throwValidation();
  return resolved;
}

function resolve(options: unknown = {}): { problems: OptionProblems; resolved: ResolvedBusyOptions } {
  const problems = new OptionProblems();
  const { busyTimeout } = problems.object(options, "options", ["busyTimeout"]);
  const busyTimeoutMs = readDuration(problems, busyTimeout, "options.busyTimeout", BUSY_TIMEOUT_DEFAULT_MS);
  return { problems, resolved: { busyTimeoutMs } };
}

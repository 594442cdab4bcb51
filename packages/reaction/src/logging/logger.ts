/** Logging in pino's argument order: attributes first, then the message. */

/** Level of a log entry. */
export type LogLevel = "debug" | "error" | "info" | "warn";

/** All levels, lowest first. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Attributes of a log entry; an error goes under `error`. */
export type LogAttributes = Readonly<Record<string, unknown>>;

/** Receives log entries. A pino logger fits as it is. */
export interface Logger {
  debug(attributes: LogAttributes, message: string): void;
  error(attributes: LogAttributes, message: string): void;
  info(attributes: LogAttributes, message: string): void;
  warn(attributes: LogAttributes, message: string): void;
}

/** The logger of those who name none: warnings and errors go to the console. */
export const consoleLogger: Logger = Object.freeze({
  debug() {},
  info() {},
  warn(attributes: LogAttributes, message: string) {
    try {
      console.warn(message, attributes);
    } catch {
      // Values may say themselves how the console shows them, and fail at it. Nobody's work is to end with that.
      console.warn(message);
    }
  },
  error(attributes: LogAttributes, message: string) {
    try {
      console.error(message, attributes);
    } catch {
      console.error(message);
    }
  },
});

/** Logging in pino's argument order. */
import type { JsonValue } from "../json/json-value.ts";

/** Level of a log entry. */
export type LogLevel = "debug" | "error" | "info" | "warn";

/** Attributes of a log entry; an error goes under `error`. */
export type LogAttributes = Readonly<Record<string, unknown>>;

/** Receives what a client logs: attributes first, then the message. A pino logger fits as it is. */
export interface Logger {
  debug(attributes: LogAttributes, message: string): void;
  error(attributes: LogAttributes, message: string): void;
  info(attributes: LogAttributes, message: string): void;
  warn(attributes: LogAttributes, message: string): void;
}

/** The logger of a client that names none: warnings and errors go to the console. */
export const consoleLogger: Logger = Object.freeze({
  debug() {},
  info() {},
  warn(attributes: LogAttributes, message: string) {
    console.warn(message, attributes);
  },
  error(attributes: LogAttributes, message: string) {
    console.error(message, attributes);
  },
});

/** The logger of a client with `logger: false`. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** A logger whose own failures never reach the caller, also not those of an asynchronous one. */
export function guardedLogger(logger: Logger): Logger {
  const guard =
    (level: LogLevel) =>
    (attributes: LogAttributes, message: string): void => {
      try {
        const returned: unknown = logger[level](attributes, message);
        if (returned !== undefined) Promise.resolve(returned).catch(ignore);
      } catch {
        ignore();
      }
    };
  return { debug: guard("debug"), info: guard("info"), warn: guard("warn"), error: guard("error") };
}

/** A logger that fails must not decide about jobs, and there is nobody left to tell. */
function ignore(): void {}

/** One level of a handler's logger: `info("message")` or `info({ key: value }, "message")`. */
export interface WorkLogFunction {
  (message: string): void;
  (attributes: Readonly<Record<string, JsonValue | undefined>>, message: string): void;
}

/** What a handler logs with; `jobId`, `jobKind` and `attempt` are attached to every entry. */
export interface WorkLogger {
  readonly debug: WorkLogFunction;
  readonly error: WorkLogFunction;
  readonly info: WorkLogFunction;
  readonly warn: WorkLogFunction;
}
